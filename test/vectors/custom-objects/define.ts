import type { StructuralSchema } from '../../../src/api/index.ts';
import { definitionOf, groupOf, KIND, type Scenario } from './scenario.ts';
import type { Stage } from './player.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const TRIES = 300;

export interface NewSchema {
  readonly schema: StructuralSchema;
  /** Counts the schemas of a scenario. */
  readonly revision: number;
}

/** Serves the kind of a scenario with this schema, in place of the one that it had. */
export async function define(scenario: Scenario, stage: Stage, { schema, revision }: NewSchema): Promise<void> {
  const body = definitionOf(scenario, schema, revision);
  const group = groupOf(scenario);
  const problem = revision === 0 ? await create(stage, body) : await replace(stage, `things.${group}`, body);
  if (problem !== '') throw new Error(`${scenario.name}: ${problem}`);
  // Whether this definition is served shows in what is said about an impossible probe.
  const probe = { apiVersion: `${group}/v1`, kind: KIND, metadata: { name: 'probe' }, probe: -1 };
  for (let tries = 0; tries < TRIES; tries++) {
    const path = `/apis/${group}/v1/namespaces/default/things?dryRun=All`;
    const { body: answer } = await stage.send('POST', path, { body: probe });
    if (String(answer['message']).includes(`supported values: "${revision}"`)) return;
    await stage.pause();
  }
  throw new Error(`${scenario.name}: not served`);
}

async function create(stage: Stage, body: object): Promise<string> {
  const made = await stage.send('POST', DEFINITIONS, { body });
  return made.code === 201 ? '' : String(made.body['message']);
}

/** The server writes the status of definitions while they change, so that some writes come too late. */
async function replace(stage: Stage, name: string, body: object): Promise<string> {
  const path = `${DEFINITIONS}/${name}`;
  for (let tries = 0; ; tries++) {
    const live = await stage.send('GET', path);
    const replaced = await stage.send('PUT', path, { body: { ...body, metadata: live.body['metadata'] } });
    if (replaced.code === 200) return '';
    if (replaced.code !== 409 || tries === TRIES) return String(replaced.body['message']);
    await stage.pause();
  }
}
