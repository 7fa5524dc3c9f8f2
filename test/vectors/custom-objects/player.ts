import type { Reply } from '../apply/kube-client.ts';
import { define } from './define.ts';
import { ABSENT, groupOf, KIND, type Outcome, type Scenario, type Step } from './scenario.ts';

/** A server that scenarios can be played on. */
export interface Stage {
  send(
    method: string,
    path: string,
    options?: { readonly body?: unknown; readonly type?: string; readonly userAgent?: string },
  ): Promise<Reply>;
  /** Lets the server go on with what it does by itself. */
  pause(): Promise<void>;
}

type Json = Readonly<Record<string, unknown>>;

/** Plays a scenario from its first definition on; definitions have no outcome. */
export async function play(scenario: Scenario, stage: Stage): Promise<(Outcome | undefined)[]> {
  await define(scenario, stage, { schema: scenario.schema, revision: 0 });
  const player = new Player(scenario, stage);
  const outcomes: (Outcome | undefined)[] = [];
  let revision = 0;
  for (const step of scenario.steps) {
    if ('redefine' in step) {
      revision += 1;
      await define(scenario, stage, { schema: step.redefine, revision });
      outcomes.push(undefined);
    } else {
      outcomes.push(outcomeOf(await player.step(step)));
    }
  }
  return outcomes;
}

class Player {
  readonly #scenario: Scenario;
  readonly #stage: Stage;
  #version = 'v1';
  #current = '';
  #count = 0;

  constructor(scenario: Scenario, stage: Stage) {
    this.#scenario = scenario;
    this.#stage = stage;
  }

  get #apiVersion(): string {
    return `${groupOf(this.#scenario)}/${this.#version}`;
  }

  async step(step: Exclude<Step, { redefine: unknown }>): Promise<Reply> {
    this.#version = step.version ?? 'v1';
    if ('get' in step) return this.#send('GET', `/${this.#current}`, step);
    if ('patch' in step)
      return this.#send('PATCH', `/${this.#current}`, step, {
        body: step.patch,
        type: 'application/merge-patch+json',
      });
    if ('update' in step)
      return this.#replace('', step, (live) => ({
        ...this.#object(step.update, { ...(live['metadata'] as Json), ...step.metadata }),
        ...(live['status'] === undefined || this.#scenario.isWhole === true ? {} : { status: live['status'] }),
      }));
    if ('status' in step) return this.#replace('/status', step, (live) => withStatus(live, step.status));
    this.#count += 1;
    const name = `t${this.#count}`;
    const metadata = { name, namespace: 'default' };
    const reply = await this.#send('POST', '', step, this.#newObject(step, metadata));
    if (reply.code === 201) this.#current = name;
    return reply;
  }

  #newObject(step: Step, metadata: object): { readonly body: unknown; readonly type?: string } {
    const bare = this.#object(ABSENT, metadata);
    if ('text' in step) return { body: step.text.replace('KIND', JSON.stringify(bare).slice(1, -1)) };
    if ('yaml' in step) {
      const lines = Object.entries(bare).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
      return { body: step.yaml.replace('KIND', lines.join('\n')), type: 'application/yaml' };
    }
    const { create, metadata: more } = step as { readonly create?: unknown; readonly metadata?: object };
    return { body: this.#object(create, { ...metadata, ...more }) };
  }

  async #replace(subresource: string, step: Step, change: (live: Json) => Json): Promise<Reply> {
    const live = await this.#send('GET', `/${this.#current}`, { get: true });
    return this.#send('PUT', `/${this.#current}${subresource}`, step, { body: change(live.body) });
  }

  #object(value: unknown, metadata: object): Json {
    const typeMeta = { apiVersion: this.#apiVersion, kind: KIND, metadata };
    if (value === ABSENT) return typeMeta;
    return this.#scenario.isWhole === true ? { ...typeMeta, ...(value as object) } : { ...typeMeta, spec: value };
  }

  #send(
    method: string,
    path: string,
    step: Step,
    options: { readonly body?: unknown; readonly type?: string } = {},
  ): Promise<Reply> {
    const query = 'fieldValidation' in step ? `?fieldValidation=${String(step.fieldValidation)}` : '';
    const collection = `/apis/${this.#apiVersion}/namespaces/default/things`;
    return this.#stage.send(method, `${collection}${path}${query}`, options);
  }
}

function withStatus({ status: _, ...live }: Json, status: unknown): Json {
  return status === ABSENT ? live : { ...live, status };
}

const UNSTABLE = ['uid', 'resourceVersion', 'creationTimestamp', 'managedFields'];

/** The object without what is different each time, or the Status; Go goes through maps in any order, so causes are sorted. */
function outcomeOf({ code, body, warnings }: Reply): Outcome {
  const shown = body['kind'] === 'Status' ? shownStatus(body) : shownObject(body);
  return { code, body: shown, ...(warnings.length === 0 ? {} : { warnings: [...warnings].sort() }) };
}

function shownObject({ apiVersion: _1, kind: _2, metadata, ...rest }: Json): Json {
  const own = Object.entries(metadata ?? {}).filter(([name]) => !UNSTABLE.includes(name));
  const { name: _3, namespace: _4, generation, ...meta } = Object.fromEntries(own) as Json;
  return { ...rest, ...(Object.keys(meta).length === 0 ? {} : { metadata: meta }), generation };
}

/** The message of several causes is all of them one after the other: the length shows whether it is complete. */
function shownStatus({ message, reason, details }: Json): Json {
  const causes = (details as { readonly causes?: readonly Json[] } | undefined)?.causes ?? [];
  const text = steady(String(message));
  const sorted = causes
    .map(({ reason: type, message: said, field }) => [String(field), String(type), steady(String(said))])
    .sort((left, right) => (left.join('\0') < right.join('\0') ? -1 : 1));
  if (causes.length < 2) return { reason, message: text, causes: sorted };
  const start = text.slice(0, text.indexOf('is invalid:'));
  return { reason, message: start, length: text.length, causes: sorted };
}

/** Without what differs from server to server, where a message quotes it. */
function steady(text: string): string {
  return text
    .replaceAll(/(\\"(?:uid|resourceVersion|creationTimestamp|time)\\":\\")[^"\\]*/g, '$1')
    .replaceAll(/(UID in object meta: )[0-9a-f-]+/g, '$1');
}
