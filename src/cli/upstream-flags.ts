import type { UpstreamFlag } from '../cluster/programs/index.ts';
import { UsageError } from './command.ts';
import type { FlagDefinition, FlagDefinitions, Flags } from './flags.ts';

/** The definitions of a command, and the other flags of Kubernetes that it accepts or rejects. */
export function withUpstreamFlags(own: FlagDefinitions, upstream: readonly UpstreamFlag[]): FlagDefinitions {
  const others = upstream.filter(({ name }) => !(name in own) && name !== 'help');
  const definition = ({ isBoolean, why }: UpstreamFlag): FlagDefinition => ({
    type: isBoolean ? 'boolean' : 'string',
    multiple: !isBoolean,
    help: why,
    isHidden: true,
  });
  return { ...Object.fromEntries(others.map((flag) => [flag.name, definition(flag)])), ...own };
}

/** Rejects, with the reason, flags that would have no effect. */
export function checkUpstreamFlags(flags: Flags, own: FlagDefinitions, upstream: readonly UpstreamFlag[]): void {
  for (const { name, isBoolean, verdict, why, harmless } of upstream) {
    if (name in own || !flags.has(name) || verdict === 'accepted') continue;
    const given = isBoolean ? String(flags.isSet(name)) : flags.list(name).join(',');
    if (verdict === 'refused' && harmless.includes(given)) continue;
    if (verdict === 'obeyed') throw new UsageError(`--${name} cannot be given here: it is for "keelson apiserver"`);
    const besides = harmless.length === 0 ? '' : ` (${harmless.map((value) => `"${value}"`).join(' or ')} is fine)`;
    throw new UsageError(`--${name} is refused: ${why}${besides}`);
  }
}
