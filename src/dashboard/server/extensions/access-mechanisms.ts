import type { ExtensionMap, NamedMechanism, StepFigures } from '../../protocol.ts';
import type { RecentSteps } from './recent-steps.ts';

/** Who authenticates and authorizes, as far as recent requests show it. API servers do not say what else they are set up for. */
export function accessMechanisms(seen: RecentSteps | undefined): Pick<ExtensionMap, 'authenticators' | 'authorizers'> {
  if (seen === undefined) return {};
  return { authenticators: mechanisms(seen.authenticators), authorizers: mechanisms(seen.authorizers) };
}

function mechanisms(figures: ReadonlyMap<string, StepFigures>): readonly NamedMechanism[] {
  return [...figures].map(([name, seen]) => ({ name, seen }));
}
