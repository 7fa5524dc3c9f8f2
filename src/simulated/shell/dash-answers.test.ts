import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { settle } from '../../base/index.ts';
import { TestContainer } from './testing/test-container.ts';

/** A script, and what dash with the programs of a Linux machine made of it. */
interface Answer {
  readonly script: string;
  readonly stdout: string;
  readonly code: number;
}

const DASH = '/bin/dash';
const FILE = new URL('testdata/dash-answers.json', import.meta.url);
const answers = JSON.parse(await readFile(FILE, 'utf8')) as readonly Answer[];

async function ours(script: string): Promise<Answer> {
  const container = new TestContainer();
  container.machine.files.makeDirectories('/work', 0);
  let isOver = false;
  const running = container.run(['sh', '-c', `cd /work; ${script}`]).finally(() => (isOver = true));
  for (let turn = 0; turn < 20 && !isOver; turn++) {
    await settle();
    await container.clock.advance('1s');
  }
  const [, code] = await running;
  return { script, stdout: container.output, code };
}

describe('the shell of simulated containers answers as dash does', () => {
  test.each(answers)('$script', async (answer) => {
    const { stdout, code } = await ours(answer.script);
    expect({ stdout, code }).toEqual({ stdout: answer.stdout, code: answer.code });
  });
});

test.skipIf(!existsSync(DASH))('the recorded answers are those of dash', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-dash-'));
  const run = ({ script }: Answer, index: number): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const cwd = join(folder, String(index));
      const env = { PATH: '/usr/bin:/bin', HOME: '/root', LC_ALL: 'C' };
      const child = execFile(
        DASH,
        ['-c', `mkdir -p ${cwd} && cd ${cwd} && exec ${DASH} -c "$0"`, script],
        { env },
        (error, stdout) => {
          if (error !== null && typeof error.code !== 'number') reject(error);
          else resolve({ script, stdout, code: Number(error?.code ?? 0) });
        },
      );
      child.stdin?.end();
    });
  const found: Answer[] = [];
  for (let at = 0; at < answers.length; at += 16) {
    found.push(...(await Promise.all(answers.slice(at, at + 16).map((answer, index) => run(answer, at + index)))));
  }
  await rm(folder, { recursive: true });
  expect(found).toEqual(answers);
});
