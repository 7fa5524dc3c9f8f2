import type { OperatorProcess } from './operator-process.ts';

/** The outside as the operator gets it: calls of its methods go through the process. */
export function watchedOutside<O>(outside: O, process: Pick<OperatorProcess, 'call'>): O {
  if (typeof outside !== 'object' || outside === null) return outside;
  return new Proxy(outside, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, name in target ? target : receiver);
      if (typeof member !== 'function' || typeof name !== 'string') return member;
      const act = member as (...given: readonly unknown[]) => unknown;
      return (...given: readonly unknown[]) => process.call(name, given, () => act.apply(target, [...given]));
    },
  });
}
