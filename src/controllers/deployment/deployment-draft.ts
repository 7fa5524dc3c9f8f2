import type { Deployment, DeploymentCondition, DeploymentStatus } from '../../api/types/apps/v1.d.ts';
import { deepEqual } from '../../base/index.ts';
import type { Observed } from '../../client/index.ts';
import type { Objects } from '../../kit/index.ts';
import { REVISION } from './annotations.ts';
import type { Condition } from './conditions.ts';

/** Collects a run's changes to the Deployment's status until they are written. */
export class DeploymentDraft {
  conditions: readonly Condition[];
  collisionCount: number | undefined;
  /** The revision of the current ReplicaSet; undefined leaves the annotation as it is. */
  revision: string | undefined;
  readonly #deployments: Objects<Deployment>;
  #latest: Observed<Deployment>;

  constructor(deployment: Observed<Deployment>, deployments: Objects<Deployment>) {
    this.conditions = deployment.status?.conditions ?? [];
    this.collisionCount = deployment.status?.collisionCount;
    this.#deployments = deployments;
    this.#latest = deployment;
  }

  /** Writes the collected conditions without changing the counts: for runs that end early. */
  async writeEarly(): Promise<void> {
    const { conditions: _, collisionCount: __, ...counts } = (this.#latest.status ?? {}) as DeploymentStatus;
    await this.write({
      ...counts,
      ...(this.conditions.length === 0 ? {} : { conditions: [...this.conditions] as DeploymentCondition[] }),
      ...(this.collisionCount === undefined ? {} : { collisionCount: this.collisionCount }),
    });
  }

  /** Writes the status and the revision, if they changed. */
  async write(status: DeploymentStatus): Promise<void> {
    const { metadata } = this.#latest;
    const revision = this.revision ?? metadata.annotations?.[REVISION];
    const isSameRevision = revision === metadata.annotations?.[REVISION];
    if (isSameRevision && deepEqual(status, this.#latest.status ?? {})) return;
    const annotations =
      revision === undefined ? metadata.annotations : { ...metadata.annotations, [REVISION]: revision };
    this.#latest = await this.#deployments.updateStatus({
      ...this.#latest,
      metadata: { ...metadata, ...(annotations === undefined ? {} : { annotations }) },
      status,
    });
  }
}
