/** The members of a type by their Go names, each with its value if absent. */
export interface Members {
  readonly [name: string]: null | string | number | boolean | Nested;
}

interface Nested {
  readonly absent: null;
  readonly members: Members;
  readonly isList: boolean;
}

/** Marks a member whose own members are shown by Go names. */
export function nested(members: Members): Nested {
  return { absent: null, members, isList: false };
}

/** Marks a list whose items are shown by Go names. */
export function listed(members: Members): Nested {
  return { absent: null, members, isList: true };
}

/** A value as messages show upstream's unversioned types: with every member, by its Go name. */
export function unversioned(value: object, members: Members): Readonly<Record<string, unknown>> {
  const given = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(members).map(([name, form]) => {
      const own = given[jsonName(name)];
      if (typeof form !== 'object' || form === null) return [name, own ?? form];
      if (typeof own !== 'object' || own === null) return [name, form.absent];
      const shown = form.isList ? (own as readonly object[]).map((item) => unversioned(item, form.members)) : undefined;
      return [name, shown ?? unversioned(own, form.members)];
    }),
  );
}

/** `SELinuxOptions` is `seLinuxOptions`: the first word is in lower case, even if it is an abbreviation. */
function jsonName(name: string): string {
  return name.replace(/^(?:[A-Z]+(?=[A-Z][a-z]|$)|[A-Z])/, (word) => word.toLowerCase());
}
