/**
 * A copy of an object with more members, or others in place of its own.
 *
 * `{ ...object, more }` says the same, but V8 gives every object that is made so a shape of its own for each member that is new: 400
 * bytes each, and whoever reads such objects looks their members up anew each time. For paths that every request takes.
 * Assumes: no member is called `__proto__`, as none of a declared type is.
 */
export function withMembers<T extends object, M extends object>(object: T, members: M): Omit<T, keyof M> & M {
  return Object.assign({}, object, members);
}
