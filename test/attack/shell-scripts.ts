// What scripts for the small shell of simulated containers cost others: by `kubectl exec`, as commands of pods, and as probes.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack, AttackTarget } from './attack.ts';
import { execUpgrade, runPod } from './exec-upgrade.ts';
import { bearer, send, session } from './wire.ts';

const PODS = '/api/v1/namespaces/default/pods';
const SECONDS = 12;
const SESSIONS = 8;

/** A variable that becomes twice as long, again and again. */
const doubling = `a=xxxxxxxx; ${'a=$a$a; '.repeat(40)} echo $a`;
/** Kept below the length of a request's head. */
const stages = `echo x ${'| cat '.repeat(1_000)}`;

/** Each wants more time or memory than there is, if the shell lets it. */
const SCRIPTS: readonly string[] = [
  doubling,
  stages,
  'while true; do :; done',
  'while true; do echo yes; done',
  'f() { f | f; }; f',
  'f() { f; }; f',
  `i=0; while [ $i -lt 100000000 ]; do i=$((i+1)); done`,
  `echo ${'a'.repeat(3_000)}b | grep -E '^(a+)+$'`,
  `echo ${'a'.repeat(3_000)}b | sed 's/\\(a*\\)*c/x/'`,
  `x=; ${'x=$(echo $x$x; echo y); '.repeat(60)} echo $x | tr x y | sort | uniq | wc -c`,
  'for i in $(seq 1 1000000); do echo $i; done | xargs echo | cut -c 1-100',
  `${'( '.repeat(500)}echo deep${' )'.repeat(500)}`,
];

export const shellExec: Attack = {
  name: 'shell-exec',
  what: 'scripts without end, doubling variables, 1,000 stages and patterns that backtrack, by eight commands at a time',
  isByEditor: true,
  isForOursOnly: true,
  prepare: runPod,
  async run(target, signal) {
    const end = Date.now() + SECONDS * 1_000; // Node.js 20 may collect a signal of a timeout that only AbortSignal.any() refers to
    let begun = 0;
    const worker = async (first: number): Promise<void> => {
      for (let index = first; Date.now() < end && !signal.aborted; index++) {
        const script = SCRIPTS[index % SCRIPTS.length] ?? '';
        const socket = await execUpgrade(target, { command: ['sh', '-c', script], query: 'stdout=true&stderr=true' });
        begun++;
        const closed = new Promise((resolve) => socket.once('close', resolve));
        await Promise.race([closed, sleep(1_000)]);
        socket.destroy();
      }
    };
    await Promise.all(Array.from({ length: SESSIONS }, (_unused, index) => worker(index)));
    return `${begun} commands`;
  },
};

export const shellPods: Attack = {
  name: 'shell-pods',
  what: '60 pods whose commands, hooks and probes of every second are such scripts',
  isByEditor: true,
  isForOursOnly: true,
  async run(target, signal) {
    const codes = new Map<number, number>();
    for (let index = 0; index < 60 && !signal.aborted; index++) {
      const command = (offset: number): readonly string[] => [
        'sh',
        '-c',
        SCRIPTS[(index + offset) % SCRIPTS.length] ?? '',
      ];
      const probe = { exec: { command: command(1) }, periodSeconds: 1, failureThreshold: 1000 };
      const container = {
        name: 'main',
        image: 'busybox',
        command: command(0),
        readinessProbe: probe,
        lifecycle: { postStart: { exec: { command: command(2) } } },
      };
      const code = await post(target, { metadata: { name: `script-${index}` }, spec: { containers: [container] } });
      codes.set(code, (codes.get(code) ?? 0) + 1);
    }
    await sleep(SECONDS * 1_000, undefined, { signal }).catch(() => undefined);
    return [...codes].map(([code, count]) => `${count} × ${code}`).join(', ');
  },
};

async function post(target: AttackTarget, pod: object): Promise<number> {
  const over = session(target);
  try {
    const headers = { ...bearer(target), 'content-type': 'application/json', ':method': 'POST', ':path': PODS };
    return await send(over, headers, JSON.stringify(pod));
  } finally {
    over.destroy();
  }
}
