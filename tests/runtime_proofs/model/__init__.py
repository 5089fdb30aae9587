"""Check the plan and the engine over all small worlds, in memory."""
