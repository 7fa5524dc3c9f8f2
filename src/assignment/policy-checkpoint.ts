import type { Checkpoints } from '../node/index.ts';

/** The first and the last field of the checkpoints of all resource managers. */
export interface PolicyContent {
  readonly policyName?: string;
  readonly checksum?: number;
}

export interface PolicyCheckpoint<Content extends PolicyContent> {
  /** The name that a kubelet gives the file. */
  readonly name: string;
  /** The policy that the agent is configured with. */
  readonly policy: string;
  checksumOf(content: Content): number;
}

/**
 * Reads a kubelet's checkpoint; undefined when there is none. Throws when it is damaged or was written under another policy, because running
 * containers use what it assigns to them.
 */
export async function readPolicyCheckpoint<Content extends PolicyContent>(
  checkpoints: Checkpoints,
  { name, policy, checksumOf }: PolicyCheckpoint<Content>,
): Promise<Content | undefined> {
  const text = await checkpoints.read(name);
  if (text === undefined) return undefined;
  const content = JSON.parse(text) as Content;
  const { policyName = '', checksum } = content;
  const refuse = (problem: string): Error =>
    new Error(
      `could not restore state from checkpoint: ${problem}, please drain this node and delete the file "${name}"`,
    );
  if (checksumOf(content) !== checksum) throw refuse('checkpoint is corrupted');
  if (policyName !== policy)
    throw refuse(`configured policy "${policy}" differs from state checkpoint policy "${policyName}"`);
  return content;
}
