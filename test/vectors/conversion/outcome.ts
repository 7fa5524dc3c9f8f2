import type { HookServers } from './hook-server.ts';
import { GROUP, type Outcome, type Scenario } from './scenario.ts';

export interface OutcomeContext {
  readonly scenario: Scenario;
  readonly hooks: HookServers;
  /** The group in which the scenario was played; recorded is always the same one. */
  readonly group: string;
}

const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Without what differs from run to run: ports, uids, times, revisions, who writes. */
export function cleaned({ code, body }: Outcome, { scenario, hooks, group }: OutcomeContext): Outcome {
  const place = scenario.place === 'other authority' || scenario.place === 'no authority' ? 'good' : scenario.place;
  const text = JSON.stringify(body, (key, value: unknown) => {
    if (key === 'managedFields') return undefined;
    if (key === 'creationTimestamp' || key === 'resourceVersion') return `a ${key}`;
    if (key === 'message' && typeof value === 'string')
      return value.replace(/^(Object 'Kind' is missing in '\{).*/s, '$1…');
    return value;
  });
  const clean = text
    .replaceAll(group, GROUP)
    .replaceAll(UID, 'UID')
    // Go has two limits of the same length here, and reports the one that it happens to see first.
    .replace(/net\/http: request canceled(?= \(Client.Timeout)/, 'context deadline exceeded')
    .replace(' (Client.Timeout exceeded while awaiting headers)', '')
    .replaceAll(`:${hooks.portOf(place ?? 'good')}`, ':PORT')
    .replaceAll(/127\.0\.0\.1:\d{5}->/g, '127.0.0.1:OWN->')
    .replaceAll(/current time \S+Z/g, 'current time NOW');
  return { code, body: JSON.parse(clean) as unknown };
}
