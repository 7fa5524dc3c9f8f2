// A control plane in this process and webhooks on a real port, for tests.
import type { ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { type TestAnswer, TestPlane } from '../../access/testing/test-plane.ts';
import { caBundle, HookServer } from '../../apiserver/webhook/testing/hook-server.ts';

/** A review that a webhook received. */
export interface SentReview {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: Readonly<Record<string, unknown>> & {
    readonly uid: string;
    readonly object: { readonly metadata: { readonly labels?: Readonly<Record<string, string>> } } | null;
  };
}

export type HookAnswer = (review: SentReview, response: ServerResponse) => unknown;

const ALL = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['configmaps'] }];

/**
 * Webhooks by the last part of their URL; each returns a response, a promise of one, or undefined if it answers itself.
 */
export class HookPlane {
  readonly plane: TestPlane;
  readonly server: HookServer;
  /** All reviews that arrived, with the webhook that got them. */
  readonly reviews: { readonly hook: string; readonly review: SentReview }[] = [];
  readonly answers = new Map<string, HookAnswer>();

  static async start(): Promise<HookPlane> {
    const plane = await TestPlane.start();
    const server = await HookServer.start((body, response, request) => {
      const hook = (request.url ?? '').replace(/\?.*/, '').slice(1);
      const review = JSON.parse(body) as SentReview;
      hooks.reviews.push({ hook, review });
      void respond(review, response, hooks.answers.get(hook));
    });
    const hooks = new HookPlane(plane, server);
    onTestFinished(async () => {
      await plane[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    });
    return hooks;
  }

  private constructor(plane: TestPlane, server: HookServer) {
    this.plane = plane;
    this.server = server;
  }

  /** Names of the webhooks in the order in which they were asked. */
  get asked(): readonly string[] {
    return this.reviews.map(({ hook }) => hook);
  }

  /** Writes a configuration with one webhook of the same name. */
  async configure(type: 'mutating' | 'validating', name: string, more: HookSettings = {}): Promise<TestAnswer> {
    const { answer, ...settings } = more;
    if (answer !== undefined) this.answers.set(name, answer);
    const path = `/apis/admissionregistration.k8s.io/v1/${type}webhookconfigurations`;
    const webhook = {
      name: `${name}.acme.dev`,
      clientConfig: { url: `https://localhost:${this.server.port}/${name}`, caBundle },
      rules: ALL,
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      ...settings,
    };
    return this.plane.admin('POST', path, { metadata: { name }, webhooks: [webhook] });
  }

  createConfigMap(name: string, labels: object = {}, query = ''): Promise<TestAnswer> {
    const path = `/api/v1/namespaces/default/configmaps${query}`;
    return this.plane.admin('POST', path, { metadata: { name, labels } });
  }

  /** Whether an object of this name was written. */
  async hasConfigMap(name: string): Promise<boolean> {
    return (await this.plane.admin('GET', `/api/v1/namespaces/default/configmaps/${name}`)).code === 200;
  }
}

export interface HookSettings {
  readonly answer?: HookAnswer;
  readonly [member: string]: unknown;
}

async function respond(review: SentReview, response: ServerResponse, answer?: HookAnswer): Promise<void> {
  const given = answer === undefined ? { allowed: true } : await answer(review, response);
  if (given === undefined) return;
  const { apiVersion, kind, request } = review;
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ apiVersion, kind, response: { uid: request.uid, ...(given as object) } }));
}

/** A response with a JSON patch. */
export function patching(...operations: readonly unknown[]): object {
  return { allowed: true, patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(operations)).toString('base64') };
}
