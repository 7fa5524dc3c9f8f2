import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../base/index.ts';
import { textOf } from './text-of.ts';

/** Whether the node changes settings of the kernel, refuses to start with others than it needs, or leaves them as they are. */
export type KernelSettingsPolicy = 'change' | 'check' | 'leave';

/** What a kubelet wants of the kernel: memory is promised freely, and a kernel that has failed starts again instead of going on. */
const WANTED: Readonly<Record<string, number>> = {
  'vm/overcommit_memory': 1,
  'vm/panic_on_oom': 0,
  'kernel/panic': 10,
  'kernel/panic_on_oops': 1,
  'kernel/keys/root_maxkeys': 1_000_000,
  'kernel/keys/root_maxbytes': 25_000_000,
};

/** Brings the settings of the machine's kernel to what a node needs. Throws with all that is wrong. */
export async function ensureKernelSettings(policy: KernelSettingsPolicy, hostRoot = '/'): Promise<void> {
  if (policy === 'leave') return;
  const problems: string[] = [];
  for (const [name, wanted] of Object.entries(WANTED)) {
    const path = join(hostRoot, 'proc/sys', name);
    const actual = (await textOf(path)).trim();
    if (actual === String(wanted)) continue;
    if (policy === 'check')
      problems.push(`invalid kernel flag: ${name}, expected value: ${wanted}, actual value: ${actual}`);
    else await writeFile(path, String(wanted)).catch((error: unknown) => problems.push(messageOf(error)));
  }
  if (problems.length === 0) return;
  const text = problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`;
  const advice = policy === 'check' ? '; protectKernelDefaults: false lets the node change them' : '';
  throw new Error(`Cannot use the settings of this machine's kernel: ${text}${advice}`);
}
