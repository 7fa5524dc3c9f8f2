type Values = Readonly<Record<string, unknown>>;

/** A member on the way to a nested one; of a list or a map, each of its items. */
interface Step {
  readonly name: string;
  readonly isEach: boolean;
}

/** The way to members below a value, read once and followed for each object. */
export type MemberPath = readonly Step[];

/**
 * Reads a path, in which `[]` behind a name means any item of a list or any value of a map.
 *
 * Example: `volumes[].emptyDir.mode`.
 */
export function memberPath(text: string): MemberPath {
  return text.split('.').map((step) => {
    const isEach = step.endsWith('[]');
    return { name: isEach ? step.slice(0, -2) : step, isEach };
  });
}

/** Whether something is set at the path below a value. */
export function isSetAt(value: unknown, path: MemberPath, at = 0): boolean {
  const step = path[at];
  if (step === undefined) return true;
  if (!isValues(value)) return false;
  const member = value[step.name];
  if (member === undefined || member === null) return false;
  if (at + 1 === path.length) return true;
  if (!step.isEach) return isSetAt(member, path, at + 1);
  if (Array.isArray(member)) {
    for (const item of member) if (isSetAt(item, path, at + 1)) return true;
    return false;
  }
  return isValues(member) && Object.values(member).some((item) => isSetAt(item, path, at + 1));
}

/** The value without what is at the path; objects and lists around it are copied. */
export function withoutAt<T>(value: T, path: MemberPath): T {
  return withoutBelow(value, path, 0) as T;
}

function withoutBelow(value: unknown, path: MemberPath, at: number): unknown {
  const step = path[at];
  if (step === undefined || !isValues(value)) return value;
  const { [step.name]: member, ...others } = value;
  if (member === undefined || member === null) return value;
  if (at + 1 === path.length) return others;
  return { ...value, [step.name]: changed(member, step, (item) => withoutBelow(item, path, at + 1)) };
}

function changed(member: unknown, { isEach }: Step, change: (item: unknown) => unknown): unknown {
  if (!isEach) return change(member);
  if (Array.isArray(member)) return member.map(change);
  if (!isValues(member)) return member;
  return Object.fromEntries(Object.entries(member).map(([name, item]) => [name, change(item)]));
}

function isValues(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
