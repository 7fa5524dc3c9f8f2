import { isAtLeast } from '../../../cni/index.ts';
import type { PluginKind } from '../cni-options.ts';
import type { CniWorld } from '../cni-world.ts';

type Reason = (world: CniWorld) => string | undefined;

const KIND_TEXTS: Readonly<Record<PluginKind, string>> = {
  interface: 'that make an interface',
  chained: 'that work on the interface of another',
  ipam: 'that manage addresses',
};

/** Why a rule does not apply to plugins of other kinds. */
export function onlyFor(...kinds: readonly PluginKind[]): Reason {
  return ({ options }) =>
    kinds.includes(options.kind) ? undefined : `for plugins ${kinds.map((kind) => KIND_TEXTS[kind]).join(' or ')}`;
}

const SINCE = { CHECK: '0.4.0', GC: '1.1.0', STATUS: '1.1.0' } as const;

/** Why a rule does not apply to versions without the command. */
export function withCommand(command: keyof typeof SINCE, other: Reason = () => undefined): Reason {
  return (world) =>
    isAtLeast(world.cniVersion, SINCE[command]) ? other(world) : `version ${world.cniVersion} has no ${command}`;
}
