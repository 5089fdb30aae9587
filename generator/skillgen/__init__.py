"""Render, prove, pack and sync one canonical cancel skill for many agent-orchestration plugins."""

__version__ = "0.2.0"
