import { type PolicedPod, PolicyResolver, PolicyState } from '../../policies/index.ts';
import { PolicyTable } from '../policy-table.ts';
import type { PodLab } from './pod-lab.ts';

/** A node of a lab with its policies in force: a resolver and a table, without an API server. */
export class EnforcedNode {
  readonly resolver: PolicyResolver;
  readonly table: PolicyTable;
  /** What has been applied, to compute verdicts from. */
  readonly state = new PolicyState();

  constructor(lab: PodLab, name: string) {
    this.resolver = new PolicyResolver(name);
    this.table = new PolicyTable({ nft: lab.nft(name) });
  }

  async apply(options: { readonly isWhole?: boolean } = {}): Promise<void> {
    const changes = this.resolver.takeChanges(options);
    if (changes === undefined) return;
    await this.table.apply(changes);
    this.state.apply(changes);
  }
}

/** A pod with one named port. */
export function labPod(key: string, about: Partial<PolicedPod>): PolicedPod {
  const [namespace = ''] = key.split('/');
  return { key, namespace, uid: key, createdAt: '', labels: {}, node: '', addresses: [], ports: [], ...about };
}
