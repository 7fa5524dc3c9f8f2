import type { InteropResult, ServerName } from './results.ts';

/** One line about one subject. */
export function reportLine({ subject, server, version, passed, steps, failures }: InteropResult): string {
  const [first] = failures;
  const count = `${passed} of ${steps.length}`;
  const name = `${subject} (${version}) on ${server}`;
  return first === undefined
    ? `${name}: passed (${count})`
    : `${name}: failed (${count}); ${failures.map(({ step, message }) => `${step}: ${message}`).join('; ')}`;
}

/** docs/reference/interop.md, from the kept results. */
export function interopDocument(results: readonly InteropResult[]): string {
  const subjects = [...new Set(results.map(({ subject }) => subject))];
  const find = (subject: string, server: ServerName): InteropResult | undefined =>
    results.find((result) => result.subject === subject && result.server === server);
  const failures = results.flatMap(({ subject, server, failures }) =>
    failures.map(({ step, message }) => `- ${subject} on ${server}, ${step}: ${message.replaceAll(/\s+/g, ' ')}`),
  );
  return [
    '# Interop',
    '',
    "Other people's clients and programs on Keelson, and ours on theirs. `npm run interop` runs each program against `keelson up`, `npm run interop -- --server kube`",
    'the same program against etcd and kube-apiserver 1.36.3; both write this page and interop.json beside it. Figures are steps that passed.',
    '',
    '| | version | on Keelson | on kube-apiserver | steps |',
    '|---|---|---|---|---|',
    ...subjects.map((subject) => {
      const ours = find(subject, 'keelson');
      const theirs = find(subject, 'kube');
      const { version, steps } = (ours ?? theirs) as InteropResult;
      return `| ${subject} | ${version} | ${cell(ours)} | ${cell(theirs)} | ${steps.join(', ')} |`;
    }),
    '',
    ...(failures.length === 0 ? [] : ['## What fails', '', ...failures, '']),
    '## What the programs do',
    '',
    'Each client makes a namespace and works in it, on ConfigMaps, Pods, Deployments and Leases: creates (and waits for the default ServiceAccount and for the',
    "Deployment's ReplicaSet), lists in pages, follows a life with its informer or watch, sends merge and strategic patches, applies with two field managers that",
    'conflict, deletes with preconditions (not in the fabric8 program), as a collection and in the foreground, and elects a leader by a Lease: with the election that the client brings, or, for kube-rs and',
    '@kubernetes/client-node, which bring none, by its creates and replaces that race. The operators (controller-runtime, kopf) make a Deployment for a ConfigMap, with finalizer, owner and event.',
    "kopf has no election but peering, which needs custom kinds. The sample-controller is Kubernetes' own, with the definition and the Foo that come with it: a Deployment, its status, its event,",
    'another size, a size that the schema refuses, deletion. No replica ever becomes available on kube-apiserver, where there is no node.',
    '',
    'The programs of streams run commands in a simulated pod, with input that ends, a terminal, exit codes and refusals, read its log, attach to it and forward a port of it, over each protocol that',
    'the client has; commands also from a reconciler of controller-runtime and a handler of kopf. kube-apiserver reaches the same simulated node over the port that node has (served-node.ts), so that both columns',
    "want the same bytes. client-node's cp is tried towards the pod only: it asks for an archive with gzip the other way, and does not unpack it.",
    '',
    'sample-apiserver and metrics-server are put behind the API server as local processes: namespace, account, roles, Service, APIService; then flunders are created, read, explained,',
    'applied, watched and deleted, by users who may and not by others.',
    '',
    'Two lines are mixed control planes: an API server alone, controllers and scheduler over HTTP from the other side, and a simulated node; a Deployment',
    'is made, scaled, rolled out, served by a Service and deleted, and its namespace goes. The last line is examples/image-policy, written with the kit, behind the plugin',
    'ImagePolicyWebhook of each server. The programs are in test/interop.',
    '',
  ].join('\n');
}

function cell(result: InteropResult | undefined): string {
  return result === undefined ? 'not run' : `${result.passed} of ${result.steps.length}`;
}
