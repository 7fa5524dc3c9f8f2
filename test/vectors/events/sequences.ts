// Events as a program might report them, with their times.

/** One event, or the end of all that the server has. */
export interface Step {
  /** Milliseconds since the beginning. */
  readonly at: number;
  readonly object?: string;
  readonly fieldPath?: string;
  readonly type?: 'Normal' | 'Warning';
  readonly reason?: string;
  readonly message?: string;
  /** With an action, it is recorded as an events.k8s.io event. */
  readonly action?: string;
  /** The server forgets all events, as it does after an hour. */
  readonly forget?: boolean;
}

export interface Sequence {
  readonly name: string;
  readonly host?: string;
  readonly steps: readonly Step[];
  /** When it is over. */
  readonly until: number;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;

function repeat(count: number, everyMs: number, step: (index: number) => Omit<Step, 'at'>, fromMs = 0): Step[] {
  return Array.from({ length: count }, (_, index) => ({ at: fromMs + index * everyMs, ...step(index) }));
}

const same = (): Omit<Step, 'at'> => ({ object: 'web', reason: 'Pulled', message: 'again' });
const other = (index: number): Omit<Step, 'at'> => ({ object: 'web', reason: 'Failed', message: `try ${index}` });
const scheduling = (index: number): Omit<Step, 'at'> => ({
  object: 'web',
  type: 'Warning',
  reason: 'FailedScheduling',
  action: 'Scheduling',
  message: `0/${index} nodes are available`,
});

export const sequences: readonly Sequence[] = [
  { name: 'the same event again and again', until: MINUTE, steps: repeat(8, SECOND, same) },
  { name: 'the same event until the bucket is empty', until: MINUTE, steps: repeat(40, SECOND, same) },
  { name: 'the same event every two minutes', until: 200 * MINUTE, steps: repeat(90, 2 * MINUTE, same) },
  { name: 'the same event every five minutes', until: 200 * MINUTE, steps: repeat(36, 5 * MINUTE, same) },
  {
    name: 'a burst after a long silence',
    until: 500 * MINUTE,
    steps: [
      ...repeat(30, SECOND, same),
      ...repeat(30, SECOND, same, 60 * MINUTE),
      ...repeat(30, SECOND, same, 400 * MINUTE),
    ],
  },
  { name: 'other messages, fewer than ten', until: MINUTE, steps: repeat(9, SECOND, other) },
  { name: 'other messages, more than ten', until: MINUTE, steps: repeat(20, SECOND, other) },
  { name: 'other messages, one in five minutes', until: 200 * MINUTE, steps: repeat(30, 5 * MINUTE, other) },
  { name: 'other messages, just within the interval', until: 400 * MINUTE, steps: repeat(15, 10 * MINUTE, other) },
  {
    name: 'other messages, just beyond the interval',
    until: 400 * MINUTE,
    steps: repeat(15, 10 * MINUTE + 1, other),
  },
  {
    name: 'two objects, two reasons, two types',
    until: 10 * MINUTE,
    steps: repeat(40, SECOND, (index) => ({
      object: index % 2 === 0 ? 'web' : 'db',
      reason: index % 3 === 0 ? 'Pulled' : 'Started',
      type: index % 5 === 0 ? 'Warning' : 'Normal',
      message: `about ${index % 4}`,
    })),
  },
  {
    name: 'containers of one pod',
    until: MINUTE,
    steps: repeat(24, SECOND, (index) => ({
      object: 'web',
      fieldPath: `spec.containers{c${index % 3}}`,
      reason: 'Started',
      message: 'Started container',
    })),
  },
  {
    name: 'other messages of containers',
    until: MINUTE,
    steps: repeat(24, SECOND, (index) => ({
      object: 'web',
      fieldPath: `spec.containers{c${index % 3}}`,
      reason: 'Failed',
      message: `Error ${index}`,
    })),
  },
  {
    name: 'a server that forgets',
    until: 100 * MINUTE,
    steps: [...repeat(3, SECOND, same), { at: MINUTE, forget: true }, ...repeat(3, SECOND, same, 61 * MINUTE)],
  },
  {
    name: 'combined events on a server that forgets',
    until: 100 * MINUTE,
    steps: [
      ...repeat(12, SECOND, other),
      { at: MINUTE, forget: true },
      ...repeat(3, SECOND, (i) => other(i + 50), 5 * MINUTE),
    ],
  },
  { name: 'from a node', host: 'node-1', until: MINUTE, steps: repeat(3, SECOND, same) },
  { name: 'an action once', until: 60 * MINUTE, steps: repeat(1, SECOND, () => scheduling(1), 1 * SECOND) },
  { name: 'an action twice', until: 60 * MINUTE, steps: repeat(2, SECOND, scheduling, 1 * SECOND) },
  { name: 'an action that goes on', until: 120 * MINUTE, steps: repeat(100, 30 * SECOND, scheduling, SECOND) },
  { name: 'an action every seven minutes', until: 120 * MINUTE, steps: repeat(12, 7 * MINUTE, scheduling, SECOND) },
  { name: 'an action every thirteen minutes', until: 240 * MINUTE, steps: repeat(12, 13 * MINUTE, scheduling, SECOND) },
  {
    name: 'an action that pauses',
    until: 120 * MINUTE,
    steps: [...repeat(4, SECOND, scheduling, SECOND), ...repeat(4, SECOND, scheduling, 20 * MINUTE + 500)],
  },
  {
    name: 'an action on a server that forgets',
    until: 120 * MINUTE,
    steps: [
      ...repeat(2, SECOND, scheduling, SECOND),
      { at: MINUTE, forget: true },
      ...repeat(4, SECOND, scheduling, 2 * MINUTE),
    ],
  },
  {
    name: 'two actions about two objects',
    until: 60 * MINUTE,
    steps: repeat(
      12,
      20 * SECOND,
      (index) => ({
        ...scheduling(index),
        object: index % 2 === 0 ? 'web' : 'db',
        action: index % 3 === 0 ? 'Binding' : 'Scheduling',
      }),
      SECOND,
    ),
  },
];
