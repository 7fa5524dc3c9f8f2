import type { Call } from '../request/call.ts';

const TRUE = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);

/** Whether JSON should be indented: when the query says so, or when it is silent and a person seems to be reading. */
export function isPrettyWanted(call: Call): boolean {
  const asked = call.query.text.includes('pretty') ? call.query.get('pretty') : '';
  if (asked !== '') return TRUE.has(asked);
  const agent = call.header('user-agent');
  return agent !== undefined && isBrowserLike(agent);
}

function isBrowserLike(agent: string): boolean {
  return agent.startsWith('curl') || agent.startsWith('Wget') || agent.startsWith('Mozilla/5.0');
}
