/**
 * What the dashboard's page and its server say to each other. Types only, so that both sides may import it.
 *
 * The page is served at `/`. The key stands in the fragment of the page's address, which browsers do not send; the page sends it with
 * each request as the header `X-Keelson-Key`, and with WebSockets as the subprotocol `keelson.key.KEY` beside the real one, such as
 * `v5.channel.k8s.io`. Without the key, all of the below is refused with 401.
 *
 * - `/cluster/*` is the Kubernetes API with the viewer's credentials: the prefix is removed, answers and watches stream, and
 *   WebSockets (exec, attach, port-forward, logs) are passed through. Values of Secrets are blanked (each value becomes the empty string,
 *   and `metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"]` is removed) unless the request has the header
 *   `X-Keelson-Reveal: 1`. An answer that was blanked has the header `X-Keelson-Blanked: 1`; such an object must not be written back whole.
 *   Browsers open few connections to a server over HTTP/1.1, and each watch by fetch keeps one. A watch, or a log that is followed, is
 *   therefore also answered over a WebSocket with the subprotocol `keelson.watch.ACCEPT`, where ACCEPT is the Accept header in unpadded
 *   base64url: each line of the answer is one text message (of logs: bytes as binary messages), the end of the answer closes with 1000,
 *   and an answer other than 200 is one text message with its Status before a close with 4000. The further subprotocol `keelson.reveal`
 *   stands for the header of that meaning.
 * - Inside a cluster each viewer brings a token of their own: as the header `X-Keelson-Token`, since API servers remove `Authorization` when
 *   they pass a request on, or as the subprotocol `keelson.token.TOKEN` in unpadded base64url. A 401 says with `WWW-Authenticate:
 *   Keelson-Key` or `Keelson-Token` which of both is wanted.
 * - `/keelson/*` are the endpoints below. They answer JSON, errors as a Status of Kubernetes, and never contain values of Secrets.
 *
 * Lists that a server cannot offer (for instance `queues` of a real cluster) are absent, not empty: absent means unknown.
 */

/** Times are RFC 3339 with milliseconds; durations have `Ms` in their names. */
export type Timestamp = string;

/** The plural name of a resource and its group in one word, as discovery and RBAC write it: `pods`, `deployments.apps`. */
export type ResourceName = string;

// GET /keelson/info ---------------------------------------------------------------------------------------------------

export interface DashboardInfo {
  /** The cluster's name in the kubeconfig. */
  readonly clusterName: string;
  /** Such as `v1.36.3+keelson`. */
  readonly serverVersion: string;
  /** Whether the API server is Keelson's, which knows causes, queues and the past. */
  readonly isKeelson: boolean;
  /** Writes are refused by the dashboard's server with 403 and the reason `Forbidden`. */
  readonly isReadOnly: boolean;
  /** Whether `/keelson/history` and `/keelson/state` answer. */
  readonly canSeePast: boolean;
  /** Whether the cluster's time can be paused and stepped (`/keelson/clock`). */
  readonly canStep: boolean;
  /** Whether `/keelson/requests` answers; false also for viewers who may not get it. */
  readonly canSeeRequests: boolean;
  /** Whether `/keelson/forwards` opens ports: the dashboard runs on the viewer's machine, and writes. */
  readonly canForward: boolean;
  /** Whether `/keelson/learn` answers. */
  readonly canLearn?: boolean;
  /** The viewer's name, as SelfSubjectReview says it; absent where the server does not. */
  readonly user?: string;
  readonly groups?: readonly string[];
  /** The namespace of the kubeconfig's context. */
  readonly namespace: string;
  /** The oldest moment of the past that can be seen; absent without a past. */
  readonly since?: Timestamp;
  /** The version of this protocol; a page that knows another one asks to be loaded again. */
  readonly protocol: 1;
  /** Changes whenever the dashboard's server has started again: positions in its history are then void. */
  readonly session: string;
}

// GET /keelson/history?from=&to=&resource=&namespace=&name=&limit=&continue= --------------------------------------------------

export type ChangeVerb = 'create' | 'update' | 'delete';

/** One change of one object. */
export interface Change {
  /** The position in history: the object's resourceVersion after the change, or that of the deletion. */
  readonly revision: number;
  readonly time: Timestamp;
  readonly verb: ChangeVerb;
  /** The empty string is the core group. */
  readonly group: string;
  /** The version in which `before` and `after` are. */
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  /** Absent for objects without a namespace. */
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
  /** The field manager whose entry in managedFields is the newest, such as `kube-controller-manager`. */
  readonly manager?: string;
  /** Such as `status` or `scale`, when the write was to a subresource. */
  readonly subresource?: string;
  /** Of updates: what they changed, in few words, such as `spec.replicas: 3 → 9`; at most four, and `7 more`. */
  readonly fields?: readonly string[];
  /** Who wrote it, where the server knows: only Keelson's does. */
  readonly user?: string;
  /** The request that made it: an id for `/keelson/requests/ID`. */
  readonly request?: string;
}

/**
 * Newest first. `from` and `to` are revisions or timestamps, both inclusive; `resource` is a ResourceName; `limit` is at most 1000, default 200.
 * A `from` before `since` is no error: what is kept is returned.
 */
export interface HistoryPage {
  readonly items: readonly Change[];
  /** What `from` may be at the least. */
  readonly oldest: Moment;
  readonly newest: Moment;
  /** For `?continue=`: older changes; absent at the end. */
  readonly continue?: string;
}

/** A position of the slider. */
export interface Moment {
  readonly revision: number;
  readonly time: Timestamp;
}

/** GET /keelson/history/REVISION. 410 (reason `Expired`) when it is no longer kept. */
export interface ChangeDetail extends Change {
  /** The object before the change; absent for creations, and where it was not kept. Secrets are blanked. */
  readonly before?: KubernetesObject;
  /** The object after the change; absent for deletions. */
  readonly after?: KubernetesObject;
}

/** GET /keelson/history/moments?buckets=200: how many changes there were, for the slider. */
export interface HistoryMoments {
  readonly oldest: Moment;
  readonly newest: Moment;
  /** Equal spans of time from oldest to newest; `revision` is the last one in the span. */
  readonly buckets: readonly { readonly time: Timestamp; readonly revision: number; readonly changes: number }[];
}

// GET /keelson/state?at=REVISION&resource=&namespace=&name= ----------------------------------------------------------------

/** A list as it was. With `name`, `items` has one object or none. `at` is a revision or a timestamp. */
export interface PastState {
  readonly at: Moment;
  readonly apiVersion: string;
  readonly kind: string;
  /** Whole objects, each with apiVersion and kind; Secrets are blanked. */
  readonly items: readonly KubernetesObject[];
}

// GET /keelson/causes?resource=&namespace=&name=&uid=&request=&revision=&depth= --------------------------------------------------

/** What happened because of what, around one object, request or change. Nodes are in order of time; edges lead from causes to effects. */
export interface CauseGraph {
  readonly nodes: readonly CauseNode[];
  readonly edges: readonly CauseEdge[];
  /** The node that was asked about; absent if it is not known (any more). */
  readonly focus?: string;
  /**
   * `recorded`: requests and reconciles as they were noted in the process. `inferred`: from owners, managers and events, as on a real
   * cluster.
   */
  readonly source: 'recorded' | 'inferred';
  /** Whether nodes were left out because there are too many. */
  readonly isCut: boolean;
}

interface CauseNodeBase {
  readonly id: string;
  readonly time: Timestamp;
  /** How long it took; absent for what has no length, or is still going on. */
  readonly durationMs?: number;
  /** One line for people, such as `create pods default/web-1`. */
  readonly title: string;
  readonly message?: string;
}

export interface ObjectReference {
  readonly group: string;
  readonly version?: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
}

/** A write, or a request that was refused. */
export interface WriteNode extends CauseNodeBase {
  readonly type: 'write';
  readonly verb: string;
  readonly object: ObjectReference;
  readonly subresource?: string;
  /** Who: `user` by authentication, `program` by its user agent or field manager. */
  readonly user?: string;
  readonly program?: string;
  /** The HTTP status; absent where unknown. */
  readonly code?: number;
  /** For `/keelson/requests/ID`. */
  readonly request?: string;
  /** For `/keelson/history/REVISION`. */
  readonly revision?: number;
}

/** One run of a controller's reconciler. */
export interface ReconcileNode extends CauseNodeBase {
  readonly type: 'reconcile';
  readonly controller: string;
  /** `namespace/name`, or the name alone. */
  readonly key: string;
  readonly why: readonly string[];
  /** Absent while it runs. */
  readonly outcome?: 'done' | 'again' | 'conflict' | 'failed' | 'stopped';
}

/** An Event object about one of the objects. */
export interface EventNode extends CauseNodeBase {
  readonly type: 'event';
  readonly object: ObjectReference;
  readonly reason: string;
  readonly isWarning: boolean;
  readonly reporter?: string;
}

export type CauseNode = WriteNode | ReconcileNode | EventNode;

export interface CauseEdge {
  readonly from: string;
  readonly to: string;
  /**
   * `saw`: a reconciler saw the write. `wrote`: a reconciler sent the write. `owns`: the writer's object owns the written one (inferred).
   * `reported`: the event is about what the write did.
   */
  readonly type: 'saw' | 'wrote' | 'owns' | 'reported';
}

// GET /keelson/requests?after=ID&wait=20s, GET /keelson/requests/ID ----------------------------------------------------------------

/** Oldest first, all that is kept, or those after an id. Ids are counters in text. */
export interface RequestList {
  readonly items: readonly RequestTrace[];
}

/** One request: what each stage, admission plugin, webhook and policy decided. */
export interface RequestTrace {
  readonly id: string;
  readonly auditId: string;
  readonly time: Timestamp;
  readonly method: string;
  readonly path: string;
  readonly user: string;
  readonly userAgent: string;
  readonly code: number;
  readonly reason?: string;
  readonly message?: string;
  readonly durationMs: number;
  readonly warnings?: readonly string[];
  readonly steps: readonly RequestStep[];
}

export interface RequestStep {
  /** Such as `authentication`, `authorization`, `mutating admission`, a webhook's or policy's name, `store`. */
  readonly name: string;
  /** Milliseconds since the request arrived. */
  readonly startMs: number;
  readonly durationMs: number;
  /** `passed`, `changed`, `skipped`, `refused`, `failed`, `unknown`, `unfinished`, or an authorizer's verdict. */
  readonly decision: string;
  /** The authenticator, authorizer or rule that decided. */
  readonly by?: string;
  readonly reason?: string;
  /** A JSON patch. When `isConcealed`, operations have no values. */
  readonly patch?: readonly { readonly op: string; readonly path: string; readonly value?: unknown }[];
  readonly isConcealed?: boolean;
  readonly steps?: readonly RequestStep[];
}

// GET /keelson/extensions?resource= -------------------------------------------------------------------------------------------

/** Everything that extends this cluster. A part that the viewer may not see is absent, and named in `hidden`. */
export interface ExtensionMap {
  readonly groups?: readonly ServedGroup[];
  readonly webhooks?: readonly AdmissionStep[];
  readonly authenticators?: readonly NamedMechanism[];
  readonly authorizers?: readonly NamedMechanism[];
  readonly controllers?: readonly ControllerState[];
  readonly schedulers?: readonly SchedulerState[];
  readonly nodes?: readonly NodePlugins[];
  readonly hidden: readonly { readonly part: keyof ExtensionMap; readonly reason: string }[];
}

/** An API group, and who serves it. */
export interface ServedGroup {
  /** The empty string is the core group. */
  readonly group: string;
  readonly versions: readonly string[];
  readonly servedBy:
    | { readonly type: 'built-in' }
    | { readonly type: 'definitions' }
    | { readonly type: 'service'; readonly namespace: string; readonly name: string; readonly port: number };
  readonly health: Health;
  readonly resources: readonly ServedResource[];
}

export interface ServedResource {
  readonly resource: string;
  readonly kind: string;
  readonly versions: readonly string[];
  readonly isNamespaced: boolean;
  readonly shortNames: readonly string[];
  /** The CustomResourceDefinition that defines it. */
  readonly definition?: string;
  readonly conversion?: 'none' | 'webhook';
  readonly health?: Health;
}

export interface Health {
  readonly state: 'ok' | 'failing' | 'unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly since?: Timestamp;
}

/**
 * What requests pass on their way to the store, in running order: mutating policies and webhooks, then validating policies and webhooks. With `?resource=`, only those
 * that may be asked about that resource.
 */
export interface AdmissionStep {
  readonly type: 'mutating-policy' | 'mutating-webhook' | 'validating-policy' | 'validating-webhook';
  readonly phase: 'mutate' | 'validate';
  /** The configuration or policy object. */
  readonly configuration: string;
  /** The webhook's name in its configuration, or the policy binding's. */
  readonly name: string;
  readonly rules: readonly {
    readonly groups: readonly string[];
    readonly versions: readonly string[];
    readonly resources: readonly string[];
    readonly operations: readonly string[];
    readonly scope: string;
  }[];
  readonly failurePolicy: string;
  readonly timeoutMs?: number;
  readonly matchConditions: readonly { readonly name: string; readonly expression: string }[];
  readonly hasSelectors: boolean;
  /** Whether it runs again after later ones have changed the object. */
  readonly reinvocation?: string;
  /** A URL, or `service namespace/name:port/path`; absent for policies. */
  readonly target?: string;
  /** Expressions of policies. */
  readonly expressions?: readonly string[];
  /** Of the requests that are kept, for this step. */
  readonly seen?: StepFigures;
}

/** What recent requests say about a step. */
export interface StepFigures {
  readonly count: number;
  readonly failed: number;
  readonly refused: number;
  readonly medianMs: number;
  readonly maxMs: number;
}

export interface NamedMechanism {
  readonly name: string;
  readonly detail?: string;
  readonly seen?: StepFigures;
}

/** A controller and its queue. */
export interface ControllerState {
  readonly name: string;
  /** The program it is part of, such as `controller-manager`. */
  readonly program: string;
  /** Keys that wait. Absent where unknown. */
  readonly depth?: number;
  /** Keys that are being worked on. */
  readonly active?: readonly { readonly key: string; readonly forMs: number }[];
  /** Keys whose last run failed, and when they are tried again. */
  readonly failing?: readonly {
    readonly key: string;
    readonly failures: number;
    readonly message: string;
    readonly nextRetry?: Timestamp;
  }[];
  readonly runs?: {
    readonly total: number;
    readonly failed: number;
    readonly medianMs: number;
    readonly maxMs: number;
  };
  /** Who leads, for controllers that are known by their lease alone. */
  readonly holder?: string;
  /** Parts without work sleep until an object of theirs exists. */
  readonly isAsleep?: boolean;
}

export interface SchedulerState {
  readonly name: string;
  readonly profiles: readonly {
    readonly schedulerName: string;
    /** By extension point, such as `filter`, in running order; absent where unknown. */
    readonly plugins?: Readonly<Record<string, readonly string[]>>;
  }[];
  readonly extenders?: readonly { readonly url: string; readonly verbs: readonly string[] }[];
  /** The newest decisions, newest first. */
  readonly decisions?: readonly {
    readonly namespace: string;
    readonly pod: string;
    readonly time: Timestamp;
    readonly node?: string;
    readonly message?: string;
  }[];
  readonly holder?: string;
}

/** What extends a node. */
export interface NodePlugins {
  readonly node: string;
  readonly runtime?: string;
  readonly network?: readonly string[];
  /** CSI drivers that the node has, with the topology keys. */
  readonly drivers: readonly {
    readonly name: string;
    readonly allocatable?: number;
    readonly topology: readonly string[];
  }[];
  /** Resources of device plugins, such as `example.com/gpu`, and the drivers of ResourceSlices. */
  readonly devices: readonly { readonly resource: string; readonly capacity: number; readonly allocatable: number }[];
  readonly deviceDrivers: readonly { readonly driver: string; readonly devices: number }[];
}

// POST /keelson/dry-run ---------------------------------------------------------------------------------------------------------

export interface DryRunRequest {
  readonly object: KubernetesObject;
  /** Default `apply`. */
  readonly verb?: 'create' | 'update' | 'apply' | 'delete';
  /** Default `keelson-dashboard`. */
  readonly fieldManager?: string;
  readonly force?: boolean;
}

/** What would happen to the object. Nothing is stored. */
export interface DryRunResult {
  /** Absent where there is none yet. Secrets are blanked. */
  readonly before?: KubernetesObject;
  /** Absent where the request would be refused. */
  readonly after?: KubernetesObject;
  readonly code: number;
  /** The Status, where the request would be refused; conflicts by manager are in its causes. */
  readonly status?: KubernetesObject;
  readonly warnings: readonly string[];
  /** Only on Keelson, for viewers who may see requests. */
  readonly trace?: RequestTrace;
}

// GET and POST /keelson/clock --------------------------------------------------------------------------------------------------------

/** The time of a cluster in virtual time. */
export interface ClockState {
  readonly isVirtual: boolean;
  readonly isPaused: boolean;
  readonly now: Timestamp;
  /** The newest change in history. */
  readonly revision?: number;
}

export type ClockCommand =
  | { readonly action: 'pause' | 'resume' }
  | { readonly action: 'step'; readonly until: 'write' | 'reconcile' | 'minute' };

/** After a step: what it ended with. */
export interface ClockStep extends ClockState {
  readonly ended?: { readonly type: 'write' | 'reconcile' | 'time' | 'nothing'; readonly title: string };
}

// GET /keelson/learn ------------------------------------------------------------------------------------------------------------

export interface LearnList {
  readonly walks: readonly LearnWalk[];
}

/** A short walk through something that Kubernetes does. */
export interface LearnWalk {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly steps: readonly LearnStep[];
}

export interface LearnStep {
  readonly title: string;
  /** Paragraphs, separated by blank lines; words in backticks are code, and nothing else is markup. */
  readonly text: string;
  /** Commands to type. */
  readonly commands: readonly string[];
  /** YAML for `kubectl apply -f -`. */
  readonly manifest?: string;
  /** A place of the page, without `#/`, such as `list/pods?namespace=default`. */
  readonly look?: string;
}

// -----------------------------------------------------------------------------------------------------------------------------

/** Any object of the API, as JSON. */
export interface KubernetesObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly [member: string]: unknown;
  };
  readonly [member: string]: unknown;
}

// GET /keelson/forwards, POST with a PodForwardWish, DELETE /keelson/forwards/ID -----------------------------------------

/** What a port of this machine is to lead to. */
export interface PodForwardWish {
  readonly namespace: string;
  readonly pod: string;
  readonly port: number;
  /** Of this machine; default any free one. */
  readonly localPort?: number;
}

/** A port of this machine, on 127.0.0.1, that leads to one of a pod until it is closed or the dashboard ends. */
export interface PodForward extends Required<PodForwardWish> {
  readonly id: string;
  /** That are open now. */
  readonly connections: number;
  /** Why the last connection did not succeed. */
  readonly problem?: string;
}

export interface PodForwardList {
  readonly items: readonly PodForward[];
}
