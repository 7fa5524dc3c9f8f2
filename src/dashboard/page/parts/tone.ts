/** How a state is to be taken. Shown by colour and by the shape of a mark. */
export type Tone = 'good' | 'busy' | 'bad' | 'plain';

const BAD =
  /^(failed|error|crashloopbackoff|imagepullbackoff|errimagepull|invalidimagename|createcontainerconfigerror|createcontainererror|runcontainererror|oomkilled|evicted|lost|notready|unknown|false|failing|warning|unschedulable|deadlineexceeded|backofflimitexceeded|init:error|init:crashloopbackoff|refused|conflict)$/;
const GOOD =
  /^(running|ready|active|bound|available|succeeded|complete|completed|true|established|ok|done|normal|passed|allowed)$/;
const BUSY =
  /^(pending|containercreating|terminating|podinitializing|progressing|waiting|released|schedulinggated|suspended|init:\d+\/\d+|again|changed|updating)$/;

/** Reads the words with which Kubernetes and its tables describe states. */
export function toneOf(state: string): Tone {
  const word = state.toLowerCase().split(/[ ,]/)[0] ?? '';
  if (BAD.test(word)) return 'bad';
  if (GOOD.test(word)) return 'good';
  if (BUSY.test(word)) return 'busy';
  return 'plain';
}

/** `1/3` is not whole yet, `3/3` is. */
export function toneOfShare(cell: string): Tone {
  const match = /^(\d+)\/(\d+)$/.exec(cell);
  if (match === null) return 'plain';
  return Number(match[1]) < Number(match[2]) ? 'busy' : 'plain';
}
