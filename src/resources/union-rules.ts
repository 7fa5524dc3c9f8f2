import { type FieldError, invalidValue } from '../api/index.ts';

/**
 * What is wrong with a value of which exactly one member must be set, in the words of Kubernetes' declarative rules. On updates only a
 * change of which members are set is judged.
 */
export function checkUnion(
  value: object,
  field: string,
  { members, old }: { readonly members: readonly string[]; readonly old?: object | undefined },
): FieldError[] {
  const given = setMembers(value, members);
  if (old !== undefined && setMembers(old, members).join() === given.join()) return [];
  const names = members.map((name) => `\`${name}\``).join(', ');
  if (given.length === 0) return [invalidValue(field, '', `must specify one of: ${names}`)];
  if (given.length === 1) return [];
  return [invalidValue(field, `{${given.join(', ')}}`, `must specify exactly one of: ${names}`)];
}

function setMembers(value: object, members: readonly string[]): string[] {
  const held = value as Readonly<Record<string, unknown>>;
  return members.filter((name) => {
    const member = held[name];
    return Array.isArray(member) ? member.length > 0 : member !== undefined && member !== null;
  });
}
