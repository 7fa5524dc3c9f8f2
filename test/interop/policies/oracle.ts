import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { PORTS, RandomCluster, RandomPod } from './random-cluster.ts';

const run = promisify(execFile);

/** One end of a connection: a pod, or an address outside the cluster. */
export type End =
  | { readonly pod: RandomPod; readonly address: string }
  | { readonly pod?: undefined; readonly address: string };

export interface Question {
  readonly source: End;
  readonly destination: End;
  readonly port: (typeof PORTS)[number];
}

/** What Cyclonus says about connections, without a cluster: `cyclonus analyze`. */
export class Oracle {
  readonly #program: string;
  readonly #folder: string;

  constructor(program: string, folder: string) {
    this.#program = program;
    this.#folder = folder;
  }

  /** Whether each connection is allowed. */
  async ask(cluster: RandomCluster, questions: readonly Question[]): Promise<readonly boolean[]> {
    const policies = join(this.#folder, 'policies.json');
    const traffic = join(this.#folder, 'traffic.json');
    const items = [...cluster.policies.values()];
    await writeFile(policies, JSON.stringify({ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicyList', items }));
    await writeFile(traffic, JSON.stringify(questions.map((question) => trafficOf(cluster, question))));
    const { stdout } = await run(
      this.#program,
      [
        'analyze',
        '--mode=query-traffic',
        '--simplify-policies=false',
        `--policy-path=${policies}`,
        `--traffic-path=${traffic}`,
      ],
      { maxBuffer: 256 * 1024 * 1024 },
    );
    const verdicts = [...stdout.matchAll(/IS ALLOWED\?\s*\|\s*(TRUE|FALSE)/g)].map(([, word]) => word === 'TRUE');
    if (verdicts.length !== questions.length)
      throw new Error(
        `Cyclonus gave ${verdicts.length} verdicts for ${questions.length} questions:\n${stdout.slice(0, 4000)}`,
      );
    return verdicts;
  }
}

function trafficOf(cluster: RandomCluster, { source, destination, port }: Question): object {
  const end = ({ pod, address }: End): object => ({
    IP: address,
    ...(pod === undefined
      ? {}
      : {
          Internal: {
            Namespace: pod.namespace,
            NamespaceLabels: cluster.namespaces.get(pod.namespace) ?? {},
            PodLabels: pod.labels,
          },
        }),
  });
  return {
    Source: end(source),
    Destination: end(destination),
    ResolvedPort: port.port,
    ResolvedPortName: destination.pod === undefined ? '' : port.name,
    Protocol: port.protocol,
  };
}
