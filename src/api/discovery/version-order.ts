/**
 * Orders versions as Kubernetes prefers them: stable before beta before alpha, higher numbers first, and other names last,
 * alphabetically. Negative if `left` comes first.
 *
 * Example: v10, v2, v1, v11beta2, v10beta3, v3beta1, v12alpha1, v11alpha2, foo1, foo10
 */
export function compareVersions(left: string, right: string): number {
  const a = parse(left);
  const b = parse(right);
  if (a === undefined || b === undefined) {
    if (a !== undefined) return -1;
    if (b !== undefined) return 1;
    return left === right ? 0 : left < right ? -1 : 1;
  }
  return b.stage - a.stage || b.major - a.major || b.minor - a.minor;
}

interface ParsedVersion {
  readonly stage: number;
  readonly major: number;
  readonly minor: number;
}

const stages: readonly (string | undefined)[] = ['alpha', 'beta', undefined];

function parse(version: string): ParsedVersion | undefined {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (match === null) return undefined;
  const [, major, stage, minor = '0'] = match;
  return { stage: stages.indexOf(stage), major: Number(major), minor: Number(minor) };
}
