import type { Checkpoints } from '../../node/index.ts';

/** What the checkpoints of all resource managers begin and end with. */
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

/** Reads a kubelet's checkpoint; undefined when there is none. Throws when it is damaged or of another policy: running containers rely on it. */
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
