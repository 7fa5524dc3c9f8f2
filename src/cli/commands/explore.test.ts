import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runProgram } from '../program.ts';

const FETCH = join(import.meta.dirname, '..', '..', '..', 'test', 'explore', 'programs', 'fetch');
const CRASH = JSON.stringify({
  seed: 'explore',
  faults: [{ type: 'crash', at: { request: 'create secrets default/web', nth: 1 }, when: 'after' }],
});

interface Run {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

async function explore(...args: readonly string[]): Promise<Run> {
  const output: string[] = [];
  const errors: string[] = [];
  const code = await runProgram(['explore', ...args], {
    env: process.env,
    stdout: { write: (text) => output.push(text) },
    stderr: { write: (text) => errors.push(text) },
    once: () => undefined,
  });
  return { code, output: output.join(''), errors: errors.join('') };
}

describe('keelson explore with a program', () => {
  test('kills the process at a request, and finds that it does not make good what is missing', async () => {
    const run = `node ${join(FETCH, 'operator.mjs')} --planted`;
    const { code, output } = await explore(join(FETCH, 'scenario.yaml'), '--run', run, '--plan', CRASH);
    expect(output).toContain('missing: after step "create", ConfigMap default/web does not exist');
    expect(output).toContain('✗ create secrets default/web → 201 (kill)');
    expect(output).toMatch(/seen in [23] of [23] runs/);
    expect(output).toContain("repeat it: keelson explore … --plan '{");
    expect(code).toBe(1);
  });

  test('finds nothing wrong with one that does', async () => {
    const { code, output } = await explore(join(FETCH, 'scenario.yaml'), '--plan', CRASH);
    expect(output).toContain('caches: 0 findings in 1 plan');
    expect(output).toContain('configmaps: create, get');
    expect(code).toBe(0);
  });
});

describe('a scenario in YAML', () => {
  let folder = '';
  beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'keelson-scenario-'))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  test.each([
    ['steps: [{ delete: v1 ConfigMap default/a }]', 'it has no "run", and --run is not given'],
    ['run: x\nstep: []', 'the scenario has no "step": there are name, run'],
    ['run: x\nsteps: []', '"steps" must be a list with a step at least'],
    ['run: x\nsteps: [{ name: idle }]', 'step "idle" does nothing'],
    [
      'run: x\nsteps: [{ patch: { object: web, merge: {} } }]',
      'step "step 1" must name an object as API-VERSION KIND NAME',
    ],
    ['run: x\nsteps: [{ name: a, delete: v1 Pod b }, { name: a, delete: v1 Pod b }]', 'two steps are named "a"'],
    ['run: x\ncluster: { nodes: many }\nsteps: [{ delete: v1 Pod b }]', '"cluster" must have a number of nodes'],
    ['run: x\ninputs: { only: [] }\nsteps: [{ delete: v1 Pod b }]', '"inputs" has no "only": there are values'],
    ['run: x\ninputs: { values: { Cache spec.size: 3 } }\nsteps: [{ delete: v1 Pod b }]', 'must have a list of values'],
    ['run: x\nserviceAccount: web\nsteps: [{ delete: v1 Pod b }]', 'it is written NAMESPACE/NAME'],
  ])('is refused as %j', async (text, problem) => {
    const file = join(folder, 'scenario.yaml');
    await writeFile(file, text);
    const { code, errors } = await explore(file);
    expect(errors).toContain(problem);
    expect(code).not.toBe(0);
  });

  test('is needed for --run', async () => {
    const { code, errors } = await explore('scenarios.ts', '--run', './operator');
    expect(errors).toContain('--run needs a scenario in YAML');
    expect(code).toBe(2);
  });
});
