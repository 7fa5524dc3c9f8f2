import { type Difference, differenceWords } from './compare-states.ts';

/** What an operator can do wrong. */
export type Oracle =
  /** An object that the run without faults has is missing. */
  | 'missing'
  /** An object is left that the run without faults does not have, or that is not needed any more. */
  | 'left behind'
  /** An object is being deleted, and stays. */
  | 'stuck'
  /** An object differs from that of the run without faults. */
  | 'different'
  /** A field that its schema lets users set leads to nothing, whatever it is set to. */
  | 'ignored'
  /** What a field may be set to makes it fail, and neither the status nor an event says so. */
  | 'fails'
  /** What is outside of the cluster differs. */
  | 'outside'
  /** It runs again and again, or writes although nothing changes. */
  | 'busy'
  /** The process ends by itself again and again. */
  | 'exits'
  /** A claim, volume, Secret or namespace was deleted, made again or overwritten, and the run without faults keeps it. */
  | 'destroyed'
  /** An object of another owner was written or deleted. */
  | 'foreign'
  /** The status said that all is ready before it was. */
  | 'untrue'
  /** It used rights that its declarations do not name. */
  | 'rights'
  /** A step of the scenario failed. */
  | 'step'
  /** An invariant of the author does not hold. */
  | 'invariant';

/** Something that is wrong at the end of a run. */
export interface Problem {
  readonly oracle: Oracle;
  /** What is wrong, in a sentence without the run's own names. */
  readonly message: string;
  /** The kind or object that it is about, by which the same problems of several runs are recognized. */
  readonly subject: string;
}

/** The problem that a difference is, after a step. */
export function problemOf(difference: Difference, step: string): Problem {
  const oracles = { missing: 'missing', extra: 'left behind', terminating: 'stuck', changed: 'different' } as const;
  const subject = `${difference.id}${difference.type === 'changed' ? ` ${difference.path}` : ''}`;
  return { oracle: oracles[difference.type], message: `after step "${step}", ${differenceWords(difference)}`, subject };
}
