import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fileSystemOf, type FolderQuotas, folderQuotas } from './folder-quotas.ts';

const MIB = 1024 ** 2;
const TABLE = [
  '22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,errors=remount-ro',
  '30 22 0:5 / /proc rw,nosuid - proc proc rw',
  '31 22 8:1 / /disks/local\\040ssd rw,noatime shared:9 - xfs /dev/sdb rw,attr2,prjquota',
  '32 22 8:2 / /disks rw - btrfs /dev/sdc rw',
].join('\n');

test('a path is on the file system that is mounted nearest above it', () => {
  expect(fileSystemOf('/disks/local ssd/volumes', TABLE)).toMatchObject({ point: '/disks/local ssd', type: 'xfs' });
  expect(fileSystemOf('/disks/local ssd', TABLE)?.options).toContain('prjquota');
  expect(fileSystemOf('/disks/locals', TABLE)).toMatchObject({ point: '/disks', type: 'btrfs' });
  expect(fileSystemOf('/procs', TABLE)).toMatchObject({ point: '/', type: 'ext4' });
  expect(fileSystemOf('/procs', '')).toBeUndefined();
});

test.skipIf(process.platform !== 'linux')('a file system without such quotas is refused with the reason', async () => {
  expect(await folderQuotas('/proc')).toBe('"/proc" is on proc, which has no such quotas: use ext4, xfs or btrfs');
});

interface Kind {
  readonly name: string;
  readonly programs: readonly string[];
  readonly imageBytes: number;
  make(image: string): void;
  mount(image: string, point: string): void;
}

function run(program: string, ...args: readonly string[]): void {
  execFileSync(program, [...args], {
    stdio: 'ignore',
    env: { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` },
  });
}

const kinds: readonly Kind[] = [
  {
    name: 'ext4',
    programs: ['mkfs.ext4', 'setquota', 'chattr'],
    imageBytes: 64 * MIB,
    make: (image) => run('mkfs.ext4', '-q', '-O', 'project,quota', '-E', 'quotatype=prjquota', image),
    mount: (image, point) => run('mount', '-o', 'loop,prjquota', image, point),
  },
  {
    name: 'btrfs',
    programs: ['mkfs.btrfs', 'btrfs'],
    imageBytes: 256 * MIB,
    make: (image) => run('mkfs.btrfs', '-q', image),
    mount(image, point) {
      run('mount', '-o', 'loop', image, point);
      run('btrfs', 'quota', 'enable', point);
    },
  },
];

/** Why no such file system can be made here. */
function obstacle({ programs }: Kind): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'needs root on Linux';
  try {
    for (const program of ['mount', ...programs]) run('sh', '-c', `command -v ${program}`);
    run('sh', '-c', 'test -e /dev/loop-control');
    return undefined;
  } catch {
    return `needs ${programs.join(', ')} and loop devices`;
  }
}

describe.each(kinds)('on $name', (kind) => {
  const reason = obstacle(kind);
  const title = `a folder holds what it may have, and no more (${reason ?? 'root, a kernel with such quotas'})`;

  test.skipIf(reason !== undefined)(title, async (context) => {
    const folder = await mkdtemp(join(tmpdir(), 'quotas-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const [image, point] = [join(folder, 'image'), join(folder, 'disk')];
    await writeFile(image, '');
    await truncate(image, kind.imageBytes);
    await mkdir(point);
    kind.make(image);
    try {
      kind.mount(image, point);
    } catch {
      return context.skip(`the kernel mounts no ${kind.name} with quotas`);
    }
    onTestFinished(() => run('umount', point));
    const quotas = await folderQuotas(point);
    if (typeof quotas === 'string') throw new Error(quotas);
    await holdsItsLimit(quotas, point);
  });
});

async function holdsItsLimit(quotas: FolderQuotas, point: string): Promise<void> {
  const volume = join(point, 'volume');
  const project = 1_000_000;
  await quotas.make(volume);
  await quotas.make(volume);
  await quotas.limit(volume, { project, bytes: 4 * MIB });
  await writeFile(join(volume, 'three'), Buffer.alloc(3 * MIB), { flush: true });
  await expect(writeFile(join(volume, 'more'), Buffer.alloc(2 * MIB), { flush: true })).rejects.toThrow(
    /EDQUOT|ENOSPC|-122/,
  );
  const used = await quotas.usedBytes(volume, 4 * MIB);
  expect(used).toBeGreaterThan(2 * MIB);
  expect(used).toBeLessThanOrEqual(4 * MIB);
  await quotas.limit(volume, { project, bytes: 12 * MIB });
  await writeFile(join(volume, 'more'), Buffer.alloc(4 * MIB), { flush: true });
  await writeFile(join(point, 'beside'), Buffer.alloc(16 * MIB), { flush: true }); // only the volume is limited

  await quotas.remove(volume);
  await quotas.remove(volume);
  await quotas.forget(project);
  expect(await quotas.usedBytes(volume, 12 * MIB)).toBe(0);
}
