import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { documentsIn, manifestsIn, type Manifest, readManifests } from '../../client/manifests/index.ts';
import type { ProgramScenario } from '../../testing/index.ts';
import { UsageError } from '../command.ts';
import { applied, changed, deleted, waited } from './scenario-actions.ts';

type Step = ProgramScenario['steps'][string];
type Members = Readonly<Record<string, unknown>>;

const SCENARIO_MEMBERS = [
  'name',
  'run',
  'formerRun',
  'environment',
  'serviceAccount',
  'cluster',
  'setup',
  'steps',
  'ignore',
  'leaves',
  'inputs',
  'quiet',
  'patience',
  'parallel',
];
const CLUSTER_MEMBERS = ['nodes', 'scheduler', 'controllers'];
const INPUT_MEMBERS = ['values', 'skip', 'withoutEffect'];
const STEP_MEMBERS = ['name', 'apply', 'patch', 'delete', 'wait'];
const PATCH_MEMBERS = ['object', 'merge'];
const WAIT_MEMBERS = ['object', 'condition', 'deleted', 'timeout'];

export interface ScenarioFileOptions {
  /** The command of the operator, which goes before that of the file. */
  readonly run?: string | undefined;
}

/** Reads a scenario of an operator that is a program: what to set up, and what users do, step by step. */
export async function readScenarioFile(file: string, { run }: ScenarioFileOptions = {}): Promise<ProgramScenario> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new UsageError(`there is no file "${file}"`, { cause });
  });
  const [document, ...more] = documentsIn(text, file);
  if (document === undefined || more.length > 0) throw new UsageError(`"${file}" must have one document`);
  const reader = new ScenarioReader(file);
  return reader.scenario(reader.members(document.value, 'the scenario', SCENARIO_MEMBERS), run);
}

class ScenarioReader {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  async scenario(members: Members, given: string | undefined): Promise<ProgramScenario> {
    const run = given ?? this.text(members['run'], 'run');
    if (run === undefined) throw this.#refuse('it has no "run", and --run is not given');
    const setup = await this.#manifests(members['setup'] ?? [], 'setup');
    const { name, formerRun, serviceAccount, quiet, patience } = Object.fromEntries(
      ['name', 'formerRun', 'serviceAccount', 'quiet', 'patience'].map((each) => [
        each,
        this.text(members[each], each),
      ]),
    );
    const parallel = members['parallel'];
    if (parallel !== undefined && typeof parallel !== 'number') throw this.#refuse('"parallel" must be a number');
    return {
      run,
      ...(given === undefined ? { workingFolder: dirname(resolve(this.#file)) } : {}),
      ...(name === undefined ? {} : { name }),
      ...(formerRun === undefined ? {} : { formerRun }),
      ...(serviceAccount === undefined ? {} : { serviceAccount }),
      ...(quiet === undefined ? {} : { quiet: quiet as ProgramScenario['quiet'] & string }),
      ...(patience === undefined ? {} : { patience: patience as ProgramScenario['patience'] & string }),
      ...(parallel === undefined ? {} : { parallel }),
      environment: this.#environment(members['environment']),
      cluster: this.#cluster(members['cluster']),
      setup: (cluster) => applied(setup, cluster),
      ...(await this.#steps(members['steps'])),
      ignore: this.#texts(members['ignore'], 'ignore'),
      leaves: this.#texts(members['leaves'], 'leaves'),
      inputs: this.#inputs(members['inputs'] ?? false),
    };
  }

  /** The members of a mapping, all of which must be known. */
  members(value: unknown, what: string, known: readonly string[]): Members {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw this.#refuse(`${what} must be a mapping`);
    const unknown = Object.keys(value).find((each) => !known.includes(each));
    if (unknown !== undefined) throw this.#refuse(`${what} has no "${unknown}": there are ${known.join(', ')}`);
    return value as Members;
  }

  text(value: unknown, what: string): string | undefined {
    if (value !== undefined && typeof value !== 'string') throw this.#refuse(`"${what}" must be text`);
    return value;
  }

  #environment(value: unknown): Readonly<Record<string, string>> {
    const entries = Object.entries((value ?? {}) as Members);
    return Object.fromEntries(entries.map(([name, each]) => [name, String(each)]));
  }

  #cluster(value: unknown): NonNullable<ProgramScenario['cluster']> {
    const { nodes = 1, scheduler = true, controllers = true } = this.members(value ?? {}, '"cluster"', CLUSTER_MEMBERS);
    if (typeof nodes !== 'number' || typeof scheduler !== 'boolean' || typeof controllers !== 'boolean')
      throw this.#refuse('"cluster" must have a number of nodes, and true or false for scheduler and controllers');
    return { nodes, scheduler, ...(controllers ? {} : { controllers }) };
  }

  #inputs(value: unknown): NonNullable<ProgramScenario['inputs']> {
    if (typeof value === 'boolean') return value;
    const { values = {}, skip, withoutEffect } = this.members(value, '"inputs"', INPUT_MEMBERS);
    if (typeof values !== 'object' || values === null || !Object.values(values).every(Array.isArray))
      throw this.#refuse('"values" of "inputs" must have a list of values for each field');
    return {
      values: values as Readonly<Record<string, readonly unknown[]>>,
      skip: this.#texts(skip, 'skip'),
      withoutEffect: this.#texts(withoutEffect, 'withoutEffect'),
    };
  }

  async #steps(value: unknown): Promise<Pick<ProgramScenario, 'steps' | 'waits'>> {
    if (!Array.isArray(value) || value.length === 0) throw this.#refuse('"steps" must be a list with a step at least');
    const steps: Record<string, Step> = {};
    const waits: Record<string, Step> = {};
    for (const [index, each] of value.entries()) {
      const { wait, ...members } = this.members(each, `step ${index + 1}`, STEP_MEMBERS);
      const name = this.text(members['name'], 'name') ?? `step ${index + 1}`;
      if (name in steps) throw this.#refuse(`two steps are named "${name}"`);
      steps[name] = await this.#step(members, name);
      if (wait !== undefined) waits[name] = this.#wait(wait, name);
    }
    return { steps, waits };
  }

  /** What a step does, in the order in which the members are written. */
  async #step(members: Members, name: string): Promise<Step> {
    const actions: Step[] = [];
    for (const [action, value] of Object.entries(members)) {
      if (action === 'apply') {
        const manifests = await this.#manifests(value, `step "${name}"`);
        actions.push((cluster) => applied(manifests, cluster));
      }
      if (action === 'delete') {
        const objects = isObjectName(value) ? [value] : await this.#manifests(value, `step "${name}"`);
        actions.push((cluster) => deleted(objects, cluster));
      }
      if (action === 'patch') {
        const { object, merge } = this.members(value, `the patch of step "${name}"`, PATCH_MEMBERS);
        if (!isObjectName(object) || typeof merge !== 'object' || merge === null) throw this.#refuseObject(name);
        actions.push((cluster) => changed(object, merge, cluster));
      }
    }
    if (actions.length === 0) throw this.#refuse(`step "${name}" does nothing`);
    return async (cluster) => {
      for (const act of actions) await act(cluster, undefined);
    };
  }

  #wait(value: unknown, step: string): Step {
    const { object, ...wish } = this.members(value, `the wait of step "${step}"`, WAIT_MEMBERS);
    if (!isObjectName(object)) throw this.#refuseObject(step);
    const condition = this.text(wish['condition'], 'condition');
    const timeout = this.text(wish['timeout'], 'timeout');
    return (cluster) => waited(object, { condition, isDeleted: wish['deleted'] === true, timeout }, cluster);
  }

  /** Objects in place, and those of files and folders, whose paths begin at the scenario's folder. */
  async #manifests(value: unknown, what: string): Promise<readonly Manifest[]> {
    const manifests: Manifest[] = [];
    for (const each of Array.isArray(value) ? value : [value]) {
      if (typeof each === 'string') manifests.push(...(await readManifests([resolve(dirname(this.#file), each)])));
      else manifests.push(...manifestsIn(JSON.stringify(each), `${what} of ${this.#file}`));
    }
    return manifests;
  }

  #texts(value: unknown, what: string): readonly string[] {
    const texts: readonly unknown[] = Array.isArray(value) ? value : value === undefined ? [] : [value];
    if (!texts.every((each) => typeof each === 'string')) throw this.#refuse(`"${what}" must be a list of texts`);
    return texts;
  }

  #refuseObject(step: string): UsageError {
    return this.#refuse(
      `step "${step}" must name an object as API-VERSION KIND NAME, such as "v1 ConfigMap default/web"`,
    );
  }

  #refuse(problem: string): UsageError {
    return new UsageError(`cannot read "${this.#file}": ${problem}`);
  }
}

function isObjectName(value: unknown): value is string {
  return typeof value === 'string' && /^\S+ \S+ \S+$/.test(value);
}
