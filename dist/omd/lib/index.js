/**
 * Offer the bundled skill to DeepSeek Harness through its skill registry.
 *
 * dsh keeps one skill a name and the lowest rank wins: its own directories hold 100 to 500, packaged skills 600, so a
 * skill of the same name that the user wrote is never replaced by this one.
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const BUNDLED_SKILL_RANK = 600;
const PROVIDER = "omd-cancel";
const SKILL = new URL("../skills/cancel/SKILL.md", import.meta.url);

const summary = Object.freeze({
  name: "cancel",
  description: "Cancel any active omd mode (team, autopilot, ralph, ralplan, deep-interview, autoresearch). Use when the user asks to cancel or stop a mode, or when one has finished and left its state.",
  whenToUse: "Said as cancelomd or stopomd, or called as /cancel; also when the user says stop while a mode is active, or when a mode has finished. A bare \"cancel\" or \"stop\" in everyday language is not meant.",
  invocation: Object.freeze({ modelInvocable: true, userInvocable: true }),
  source: 'bundled',
  provider: PROVIDER,
  resourceBase: Object.freeze({ kind: 'directory', path: fileURLToPath(new URL('.', SKILL)) }),
});

/** Return a skill's text without its front matter. */
function body(text) {
  const match = /^---\r?\n[\s\S]*?\r?\n---[ \t]*\r?\n/.exec(text);
  return match ? text.slice(match[0].length) : text;
}

export const provider = Object.freeze({
  name: PROVIDER,
  async list(options) {
    options?.signal?.throwIfAborted();
    return [{ ...summary, rank: BUNDLED_SKILL_RANK, locator: SKILL.href, path: fileURLToPath(SKILL) }];
  },
  async get(candidate, options) {
    if (candidate?.name !== summary.name) return undefined;
    try {
      const text = await readFile(SKILL, { encoding: 'utf8', signal: options?.signal });
      return { ...summary, path: fileURLToPath(SKILL), content: body(text) };
    } catch (error) {
      if (error?.code === 'ENOENT') return undefined;
      throw error;
    }
  },
});

export const name = PROVIDER;
export const inject = ['skills'];

export function apply(ctx) {
  ctx.skills.registerProvider(() => provider);
}
