import { aborted, messageOf, millisecondsOf } from '../../base/index.ts';
import { Node, Pod } from '../../client/index.ts';
import { podsByNode } from '../indexes.ts';
import type { AppContext, Part, PreparedPart } from '../part.ts';
import { type AccessNeed, readNeed, writeNeed } from '../rbac/access-need.ts';
import { type WebhookContext, type WebhookHandler, WebhookRequestError } from '../webhooks/index.ts';
import { ExtenderAnswers } from './extender-answers.ts';
import type { ExtenderOptions } from './extender-options.ts';
import { type NodeView, nodeView } from './extender-views.ts';

/** The verbs of an extender, which end its URLs. */
export type ExtenderQuestion = 'filter' | 'prioritize' | 'preempt' | 'bind';

/**
 * An extender for a scheduler: kube-scheduler, or Keelson's. It is a part of an app, uses the app's caches of nodes and
 * pods, and the app's server serves its routes:
 *
 *     const gpu = extender('gpu-fit', { filter: (pod, node) => (node.free('example.com/gpu') > 0 ? undefined : 'no GPU left') });
 *     app('gpu', [gpu], { server: extensionServer({ port: 8443, handlers: gpu.routes }) });
 */
export function extender(name: string, options: ExtenderOptions): SchedulerExtender {
  if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name))
    throw new Error(`Cannot make extender "${name}": its name must be lower case letters, digits and "-"`);
  return new SchedulerExtender(name, options);
}

/** The extender that `extender()` makes: a part for an app. */
export class SchedulerExtender implements Part {
  readonly name: string;
  readonly needs: readonly AccessNeed[];
  /** The verbs that it implements. */
  readonly verbs: ReadonlySet<ExtenderQuestion>;
  /** The handlers for `extensionServer`: by path, such as `/gpu-fit/filter`. */
  readonly routes: Readonly<Record<string, WebhookHandler>>;
  /** True: it caches nodes itself, so schedulers send only their names. */
  readonly isNodeCacheCapable = true;
  readonly weight: number;
  readonly isIgnorable: boolean;
  readonly managedResources: readonly string[];
  /** The same resources: schedulers ignore them. */
  readonly ignoredResources: readonly string[];
  readonly #options: ExtenderOptions;
  readonly #answers: ExtenderAnswers;
  #context: AppContext | undefined;

  /** Use `extender`. */
  constructor(name: string, options: ExtenderOptions) {
    const { weight = 1, isIgnorable = false, resources = [], bind } = options;
    this.name = name;
    this.weight = weight;
    this.isIgnorable = isIgnorable;
    this.managedResources = resources;
    this.ignoredResources = resources;
    this.#options = options;
    this.#answers = new ExtenderAnswers(options);
    this.verbs = new Set(questionsOf(options));
    this.needs = [
      readNeed(Node),
      readNeed(Pod),
      ...(bind === undefined ? [] : [writeNeed(Pod, ['create'], 'binding')]),
    ];
    this.routes = Object.fromEntries(
      [...this.verbs].map((verb) => [`/${name}/${verb}`, (args, context) => this.send(verb, args, context)] as const),
    );
  }

  prepare(context: AppContext): PreparedPart {
    this.#context = context;
    context.objects(Node);
    context.objects(Pod).byIndex(podsByNode, '');
    return { run: aborted };
  }

  /**
   * The extender's entry in the `extenders` of a KubeSchedulerConfiguration. `place` is where it is served: `await
   * server.clientConfig('')`, or another URL with its certificate authority in base64.
   */
  configuration(place: { readonly url: string; readonly caBundle?: string }): object {
    const { timeout } = this.#options;
    const verb = (question: ExtenderQuestion): object =>
      this.verbs.has(question) ? { [`${question}Verb`]: question } : {};
    return {
      urlPrefix: `${place.url.replace(/\/+$/, '')}/${this.name}`,
      ...verb('filter'),
      ...verb('prioritize'),
      ...verb('preempt'),
      ...verb('bind'),
      ...(this.verbs.has('prioritize') ? { weight: this.weight } : {}),
      ...(place.url.startsWith('https:') ? { enableHTTPS: true } : {}),
      ...(place.caBundle === undefined ? {} : { tlsConfig: { caData: place.caBundle } }),
      ...(timeout === undefined ? {} : { httpTimeout: `${millisecondsOf(timeout)}ms` }),
      nodeCacheCapable: true,
      ...(this.isIgnorable ? { ignorable: true } : {}),
      ...(this.managedResources.length === 0
        ? {}
        : { managedResources: this.managedResources.map((name) => ({ name, ignoredByScheduler: true })) }),
    };
  }

  /** Answers a request in the wire format; a failure is an answer as well. */
  async send(verb: ExtenderQuestion, args: unknown, { signal }: WebhookContext): Promise<unknown> {
    const context = this.#context;
    if (context === undefined) throw new WebhookRequestError(503, `extender "${this.name}" does not run yet`);
    const { client, log } = context;
    const about = { signal, client, nodeOf: (name: string) => nodeIn(context, name) };
    try {
      return await this.#answers.answer(verb, args, about);
    } catch (error) {
      if (error instanceof WebhookRequestError) throw error;
      log.warn('extender fails', { extender: this.name, verb, error });
      if (verb === 'filter' || verb === 'bind') return { Error: messageOf(error) };
      throw error;
    }
  }
}

function nodeIn(context: AppContext, name: string): NodeView | undefined {
  const node = context.objects(Node).get(name);
  return node === undefined ? undefined : nodeView(node, () => context.objects(Pod).byIndex(podsByNode, name));
}

function questionsOf({ filter, score, preempt, bind }: ExtenderOptions): ExtenderQuestion[] {
  return [
    ...(filter === undefined ? [] : (['filter'] as const)),
    ...(score === undefined ? [] : (['prioritize'] as const)),
    ...(preempt === undefined ? [] : (['preempt'] as const)),
    ...(bind === undefined ? [] : (['bind'] as const)),
  ];
}
