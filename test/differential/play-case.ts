import { setTimeout as sleep } from 'node:timers/promises';
import { load } from 'js-yaml';
import { tokenOf } from '../../peers/index.ts';
import { builtInTypes, encodeProtobufEnvelope, canonicalize } from '../../src/api/index.ts';
import type { PlainObject } from '../../src/api/index.ts';
import { CaseRoom } from './case-room.ts';
import type { Case, PatchName, Step } from './case.ts';
import { readBody, type ReadBody } from './read-body.ts';
import type { Reply, Target } from './target.ts';
import { Variables } from './variables.ts';

/** What a server answered to one step. */
export interface Answer {
  readonly step: Step;
  readonly reply: Reply;
  readonly body: ReadBody;
}

/** What a server answered to a case, and what was different about this run. */
export interface Played {
  readonly answers: readonly Answer[];
  /** Unique to the run: part of the names of what the case creates. */
  readonly id: string;
  /** What the case sends before its variables are filled in, to distinguish the client's values from the server's. */
  readonly sent: string;
  readonly server: URL;
}

const PATCH_TYPES: Readonly<Record<PatchName, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** Plays a case's requests one after the other, in its own namespace, and clears away what they left. */
export async function playCase(played: Case, target: Target, id: string): Promise<Played> {
  const variables = new Variables();
  variables.set('id', id);
  variables.set('ns', id);
  await using room = new CaseRoom(target, id);
  if (played.steps.some(({ path }) => path.includes('/{{ns}}'))) await room.prepare(played.needsServiceAccount);
  const answers: Answer[] = [];
  for (const step of played.steps) {
    const path = variables.fill(step.path);
    const { headers, body } = outgoingBody(step, variables);
    const { method, events } = step;
    const isAnonymous = step.isAnonymous || step.user !== undefined;
    const reply = await sendUntil(step.until, () => target.send({ method, path, headers, body, isAnonymous, events }));
    room.note(method, path, reply);
    if (step.isSetup && reply.status !== (step.until ?? reply.status)) {
      throw new Error(`Cannot set up line ${step.line}: it has status ${reply.status} and not ${step.until ?? ''}`);
    }
    if (step.isSetup && step.until === undefined && reply.status >= 400) {
      throw new Error(`Cannot set up line ${step.line}: ${reply.status} ${reply.body.toString('utf8').slice(0, 400)}`);
    }
    const answer = { step, reply, body: readBody(reply, isWatch(path)) };
    for (const [name, place] of Object.entries(step.saves)) variables.set(name, valueAt(answer.body.value, place));
    answers.push(answer);
  }
  return { answers, id, sent: JSON.stringify(played.steps), server: target.server };
}

const PAUSE_MS = 10;
const TRIES = 500;

async function sendUntil(status: number | undefined, send: () => Promise<Reply>): Promise<Reply> {
  let reply = await send();
  for (let tries = 1; status !== undefined && reply.status !== status && tries < TRIES; tries += 1) {
    await sleep(PAUSE_MS);
    reply = await send();
  }
  return reply;
}

function isWatch(path: string): boolean {
  return /[?&]watch=(?!0|false)/.test(path) || path.includes('/v1/watch/');
}

function outgoingBody(
  step: Step,
  variables: Variables,
): { headers: Record<string, string>; body: string | Uint8Array | undefined } {
  const headers: Record<string, string> = { Accept: 'application/json', 'User-Agent': 'differential' };
  if (step.user !== undefined) headers['Authorization'] = `Bearer ${tokenOf(step.user)}`;
  for (const [name, value] of Object.entries(step.headers)) headers[name] = variables.fill(value);
  if (headers['Accept'] === '') delete headers['Accept'];
  const { body } = step;
  if (body === undefined) return { headers, body: undefined };
  switch (body.type) {
    case 'raw':
      return { headers, body: variables.fill(body.text) };
    case 'object': {
      const type = body.patch === undefined ? 'application/json' : PATCH_TYPES[body.patch];
      return { headers: { ...headers, 'Content-Type': type }, body: JSON.stringify(load(variables.fill(body.yaml))) };
    }
    case 'protobuf': {
      const type = 'application/vnd.kubernetes.protobuf';
      return { headers: { 'Content-Type': type, ...headers }, body: encode(load(variables.fill(body.yaml))) };
    }
  }
}

function encode(value: unknown): Uint8Array {
  const object = value as PlainObject & { readonly apiVersion: string; readonly kind: string };
  const [version = '', group = ''] = object.apiVersion.split('/').reverse();
  const struct = builtInTypes().kind({ group, version, kind: object.kind });
  if (struct === undefined) throw new Error(`Cannot encode kind "${object.kind}": it is not a built-in one`);
  return encodeProtobufEnvelope(canonicalize(object, struct), struct);
}

/** `items.0.metadata.name` of a body. */
function valueAt(body: unknown, place: string): string {
  let value = body;
  for (const name of place.split('.')) value = (value as Readonly<Record<string, unknown>> | undefined)?.[name];
  if (typeof value !== 'string' && typeof value !== 'number') {
    throw new Error(`Cannot save "${place}": it is ${JSON.stringify(value)} in ${JSON.stringify(body)?.slice(0, 400)}`);
  }
  return String(value);
}
