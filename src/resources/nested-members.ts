type Values = Readonly<Record<string, unknown>>;

/**
 * Whether something is set at a path below a value; `[]` behind a name means any item of a list or any value of a map.
 *
 * Example: `volumes[].emptyDir.mode`.
 */
export function isSetAt(value: unknown, path: string): boolean {
  return isSetBelow(value, path.split('.'));
}

/** The value without what is at the path; objects and lists around it are copied. */
export function withoutAt<T>(value: T, path: string): T {
  return withoutBelow(value, path.split('.')) as T;
}

function isSetBelow(value: unknown, [step = '', ...rest]: readonly string[]): boolean {
  if (!isValues(value)) return false;
  const member = value[nameOf(step)];
  if (member === undefined || member === null) return false;
  if (rest.length === 0) return true;
  return membersOf(member, step).some((item) => isSetBelow(item, rest));
}

function withoutBelow(value: unknown, [step = '', ...rest]: readonly string[]): unknown {
  const name = nameOf(step);
  if (!isValues(value) || value[name] === undefined || value[name] === null) return value;
  const { [name]: member, ...others } = value;
  if (rest.length === 0) return others;
  return { ...value, [name]: changed(member, step, (item) => withoutBelow(item, rest)) };
}

function changed(member: unknown, step: string, change: (item: unknown) => unknown): unknown {
  if (!step.endsWith('[]')) return change(member);
  if (Array.isArray(member)) return member.map(change);
  if (!isValues(member)) return member;
  return Object.fromEntries(Object.entries(member).map(([name, item]) => [name, change(item)]));
}

function membersOf(member: unknown, step: string): readonly unknown[] {
  if (!step.endsWith('[]')) return [member];
  if (Array.isArray(member)) return member;
  return isValues(member) ? Object.values(member) : [];
}

function nameOf(step: string): string {
  return step.endsWith('[]') ? step.slice(0, -2) : step;
}

function isValues(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
