import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startCluster } from '../../testing/index.ts';
import { runProgram } from '../program.ts';

interface Run {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

async function faults(...args: readonly string[]): Promise<Run> {
  const output: string[] = [];
  const errors: string[] = [];
  const code = await runProgram(['faults', ...args], {
    env: process.env,
    stdout: { write: (text) => output.push(text) },
    stderr: { write: (text) => errors.push(text) },
    once: () => undefined,
  });
  return { code, output: output.join(''), errors: errors.join('') };
}

/** Reads ConfigMaps twice by the kubeconfig, and exits with 7 if the first answer is 503 and the second one is not. */
const READING = `
  const { clusters, users } = JSON.parse(require('node:fs').readFileSync(process.env.KUBECONFIG, 'utf8'));
  const { server, ...authority } = clusters[0].cluster;
  const ca = Buffer.from(authority['certificate-authority-data'], 'base64');
  const headers = { authorization: 'Bearer ' + users[0].user.token, 'user-agent': 'reader/1' };
  const read = () => new Promise((resolve) => require('node:https').get(server + '/api/v1/configmaps', { ca, headers }, resolve));
  read().then(async (first) => {
    first.resume();
    const second = await read();
    process.exit(first.statusCode === 503 && second.statusCode === 200 ? 7 : 1);
  });
`;

describe('keelson faults', () => {
  let folder = '';
  beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'keelson-faults-test-'))));
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const rules = async (text: string): Promise<string> => {
    const file = join(folder, 'rules.yaml');
    await writeFile(file, text);
    return file;
  };

  test('runs a command that meets the faults, and tells what it did', async () => {
    await using cluster = await startCluster({ controllers: false, scheduler: false, nodes: 0 });
    const file = await rules('faults: [{ type: unavailable, program: reader, times: 1 }]');
    const command = ['--', process.execPath, '-e', READING];
    const { code, output } = await faults('--rules', file, '--kubeconfig', await cluster.kubeconfig(), ...command);
    expect(code).toBe(7);
    expect(output).toMatch(/^\d\d:\d\d:\d\d\.\d{3} {2}unavailable {6}list configmaps {2}\(reader\)$/m);
    expect(output).toContain('injected: 1 unavailable');
  });

  test.each([
    ['faults: []', '"faults" must be a list with a rule at least'],
    ['rules: []', 'it has no "rules": there are seed, faults'],
    ['faults: [{ type: slow }]', 'rule 1: "type" must be one of conflict, expired,'],
    ['faults: [{ type: webhookDown }]', 'rule 1: "type" must be one of conflict, expired,'],
    ['faults: [{ type: late }]', 'rule 1: late needs a "delay"'],
    ['faults: [{ type: late, delay: soon }]', 'rule 1: "delay" must be a duration such as 200ms or 1m, got "soon"'],
    ['faults: [{ type: conflict, user: joe }]', 'rule 1: conflict has no "user": there are type, program,'],
    ['faults: [{ type: conflict, verb: [put] }]', 'rule 1: "verb" must be of get, list, watch'],
    ['faults: [{ type: conflict, times: often }]', 'rule 1: "times" must be a number'],
    ['faults: [{ type: staleRead, verb: get }]', 'rule 1: staleRead is about lists alone'],
  ])('refuses %j', async (text, problem) => {
    const { code, errors } = await faults('--rules', await rules(text));
    expect(errors).toContain(problem);
    expect(code).toBe(2);
  });
});
