import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CgroupFiles } from './cgroup-figures.ts';

const POD = 'kubepods/burstable/pod1';
const processors = { physicalCores: 1, sockets: 1 };
let root = '';

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'keelson-figures-'));
});

afterEach(async () => {
  await rm(root, { recursive: true });
});

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), `${text}\n`);
  }
}

/** A process with an open file, two sockets and a network. */
async function makeProcess(pid: number): Promise<void> {
  const own = `proc/${pid}`;
  await write({
    [`${own}/limits`]: 'Limit  Soft Limit  Hard Limit  Units\nMax open files            1024       524288    files',
    [`${own}/net/dev`]: [
      'Inter-|   Receive                                                |  Transmit',
      ' face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier',
      '    lo:     500       5    0    0    0     0          0         0      500       5    0    0    0     0       0',
      '  eth0:    1000      10    1    2    0     0          0         0     2000      20    3    4    0     0       0',
    ].join('\n'),
  });
  await mkdir(join(root, own, 'fd'));
  await symlink('/dev/null', join(root, own, 'fd/0'));
  await symlink('socket:[1]', join(root, own, 'fd/1'));
  await symlink('socket:[2]', join(root, own, 'fd/2'));
}

const PROCESSES = { count: 1, descriptors: 3, sockets: 2, threads: 7, maxThreads: 0, maxOpenFiles: 1024 };
const INTERFACES = [
  {
    name: 'eth0',
    received: { bytes: 1000, packets: 10, errors: 1, dropped: 2 },
    sent: { bytes: 2000, packets: 20, errors: 3, dropped: 4 },
  },
];

describe('figures of cgroups', () => {
  test('are read from the files of all controllers in version 1', async () => {
    const at = (controller: string, file: string): string => `sys/fs/cgroup/${controller}/${POD}/${file}`;
    await makeProcess(12);
    await write({
      [at('cpuacct', 'cpuacct.usage')]: '2500000000',
      [at('cpuacct', 'cpuacct.stat')]: 'user 150\nsystem 50',
      [at('cpu', 'cpu.stat')]:
        'nr_periods 9\nnr_throttled 4\nthrottled_time 500000000\nnr_bursts 1\nburst_time 20000000',
      [at('cpu', 'cpu.shares')]: '102',
      [at('cpu', 'cpu.cfs_period_us')]: '100000',
      [at('cpu', 'cpu.cfs_quota_us')]: '-1',
      [at('cpu', 'cgroup.procs')]: '0\n12',
      [at('memory', 'memory.stat')]:
        'cache 1\npgfault 4\ntotal_cache 300\ntotal_rss 200\ntotal_swap 7\ntotal_mapped_file 30\ntotal_pgfault 40\ntotal_pgmajfault 5\ntotal_inactive_file 60\ntotal_active_file 70',
      [at('memory', 'memory.usage_in_bytes')]: '600',
      [at('memory', 'memory.max_usage_in_bytes')]: '900',
      [at('memory', 'memory.failcnt')]: '3',
      [at('memory', 'memory.kmem.usage_in_bytes')]: '80',
      [at('memory', 'memory.oom_control')]: 'oom_kill_disable 0\nunder_oom 0\noom_kill 2',
      [at('memory', 'memory.limit_in_bytes')]: '1000',
      [at('memory', 'memory.memsw.limit_in_bytes')]: '9223372036854771712',
      [at('memory', 'memory.soft_limit_in_bytes')]: '9223372036854771712',
      [at('pids', 'pids.current')]: '7',
      [at('pids', 'pids.max')]: 'max',
      [at('blkio', 'blkio.bfq.io_service_bytes_recursive')]: 'Total 0',
      [at('blkio', 'blkio.bfq.io_serviced_recursive')]: 'Total 0',
      [at('blkio', 'blkio.throttle.io_service_bytes_recursive')]:
        '8:0 Read 4096\n8:0 Write 512\n8:0 Total 4608\nTotal 4608',
      [at('blkio', 'blkio.throttle.io_serviced_recursive')]: '8:0 Read 1\n8:0 Write 2\n8:0 Total 3\nTotal 3',
      'sys/dev/block/8:0/uevent': 'MAJOR=8\nMINOR=0\nDEVNAME=sda\nDEVTYPE=disk',
    });
    const files = new CgroupFiles({ root, version: 1, processors });
    expect(await files.children('/kubepods/burstable')).toEqual(['pod1']);
    expect(await files.read(`/${POD}`, { nowMs: 5000, network: 'own' })).toEqual({
      atMs: 5000,
      createdAtMs: expect.any(Number),
      cpu: {
        totalSeconds: 2.5,
        userSeconds: 1.5,
        systemSeconds: 0.5,
        shares: 102,
        periodMicroseconds: 100_000,
        quotaMicroseconds: 0,
        throttling: { periods: 9, throttledPeriods: 4, throttledSeconds: 0.5, burstPeriods: 1, burstSeconds: 0.02 },
      },
      memory: {
        ...{ usage: 600, workingSet: 540, cache: 300, rss: 200, swap: 7, mappedFile: 30, activeFile: 70 },
        ...{ inactiveFile: 60, kernel: 80, maxUsage: 900, limitHits: 3, pageFaults: 40, majorPageFaults: 5, kills: 2 },
        ...{ ownPageFaults: 4, ownMajorPageFaults: 0, limit: 1000, swapLimit: 0, reservation: 0 },
      },
      processes: PROCESSES,
      interfaces: INTERFACES,
      disks: [
        {
          ...{ device: '/dev/sda', major: 8, minor: 0, cost: new Map() },
          bytes: new Map(Object.entries({ Read: 4096, Write: 512, Total: 4608 })),
          operations: new Map(Object.entries({ Read: 1, Write: 2, Total: 3 })),
        },
      ],
      pressure: {},
    });
  });

  test('are read from one folder in version 2, with pressure', async () => {
    const at = (file: string): string => `sys/fs/cgroup/${POD}/${file}`;
    await makeProcess(12);
    await write({
      [at('cpu.stat')]:
        'usage_usec 2500000\nuser_usec 1500000\nsystem_usec 500000\nnr_periods 9\nnr_throttled 4\nthrottled_usec 500000\nnr_bursts 1\nburst_usec 20000',
      [at('cpu.weight')]: '100',
      [at('cpu.max')]: '20000 100000',
      [at('cpu.pressure')]:
        'some avg10=0.00 avg60=0.00 avg300=0.00 total=8\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=3',
      [at('cgroup.procs')]: '12',
      [at('memory.stat')]:
        'anon 200\nfile 300\nkernel 80\nfile_mapped 30\ninactive_file 60\nactive_file 70\npgfault 40\npgmajfault 5',
      [at('memory.current')]: '600',
      [at('memory.peak')]: '900',
      [at('memory.events')]: 'low 0\nhigh 0\nmax 3\noom 2\noom_kill 2',
      [at('memory.max')]: '1000',
      [at('memory.swap.current')]: '7',
      [at('memory.swap.max')]: 'max',
      [at('memory.min')]: '0',
      [at('pids.current')]: '7',
      [at('pids.max')]: 'max',
      [at('io.stat')]: '8:0 rbytes=4096 wbytes=512 rios=1 wios=2 dbytes=0 dios=0 cost.usage=1500000',
    });
    const files = new CgroupFiles({ root, version: 2, processors });
    const found = await files.read(`/${POD}`, { nowMs: 5000, network: 'none' });
    const none = { avg10: 0, avg60: 0, avg300: 0 };
    expect(found?.cpu).toMatchObject({
      ...{ totalSeconds: 2.5, userSeconds: 1.5, systemSeconds: 0.5, shares: 2597, quotaMicroseconds: 20_000 },
      throttling: { periods: 9, throttledPeriods: 4, throttledSeconds: 0.5, burstPeriods: 1, burstSeconds: 0.02 },
    });
    expect(found?.memory).toEqual({
      ...{ usage: 600, workingSet: 540, cache: 300, rss: 200, swap: 7, mappedFile: 30, activeFile: 70 },
      ...{ inactiveFile: 60, kernel: 80, maxUsage: 900, limitHits: 3, pageFaults: 40, majorPageFaults: 5, kills: 2 },
      ...{ ownPageFaults: 40, ownMajorPageFaults: 5, limit: 1000, swapLimit: 0, reservation: 0 },
    });
    expect(found?.processes).toEqual(PROCESSES);
    expect(found?.interfaces).toBeUndefined();
    expect(found?.pressure).toEqual({ cpu: { some: { ...none, total: 8 }, full: { ...none, total: 3 } } });
    expect(found?.disks).toEqual([
      {
        ...{ device: '', major: 8, minor: 0, cost: new Map([['usage', 1.5]]) },
        bytes: new Map(Object.entries({ Read: 4096, Write: 512 })),
        operations: new Map(Object.entries({ Read: 1, Write: 2 })),
      },
    ]);
  });

  test('of the machine have its file systems, each once, with what their devices did', async () => {
    await write({
      'sys/fs/cgroup/cgroup.controllers': 'cpu memory',
      'sys/fs/cgroup/memory.stat': 'anon 200\nfile 300\ninactive_file 60',
      'proc/meminfo': 'MemTotal:       16 kB\nSwapTotal:       2 kB',
      'proc/self/mountinfo': [
        '27 1 8:1 / / rw - ext4 /dev/sda1 rw',
        '28 27 8:1 /x /bound rw - ext4 /dev/sda1 rw',
        '29 27 0:22 / /sys rw - sysfs sysfs rw',
        '30 27 0:30 / /a\\040b rw - tmpfs tmpfs rw',
        '31 27 0:31 / /gone rw - ext4 /dev/sdz rw',
      ].join('\n'),
      'proc/diskstats': '   8       1 sda1 10 1 100 2000 20 2 200 4000 3 5000 6000 0 0 0 0',
      'a b/file': '',
    });
    const files = new CgroupFiles({ root, version: 2, processors });
    await files.start();
    await writeFile(join(root, 'proc/self/mountinfo'), '40 27 0:40 / /pod rw - tmpfs tmpfs rw');
    const found = await files.read('/', { nowMs: 1, network: 'none' });
    expect(found?.memory).toMatchObject({ usage: 500, limit: 16_384, swapLimit: 2048 });
    expect(found?.filesystems?.map(({ device }) => device)).toEqual(['/dev/sda1', '/a b']);
    expect(found?.filesystems?.[0]).toMatchObject({
      reads: { completed: 10, merged: 1, sectors: 100, seconds: 2 },
      writes: { completed: 20, merged: 2, sectors: 200, seconds: 4 },
      ...{ inProgress: 3, busySeconds: 5, weightedSeconds: 6 },
    });
    expect(found?.filesystems?.[0]?.capacityBytes).toBeGreaterThan(0);
  });

  test('are undefined where there is no such cgroup', async () => {
    const files = new CgroupFiles({ root, version: 1, processors });
    expect(await files.children('/kubepods')).toEqual([]);
    expect(await files.read('/kubepods', { nowMs: 1, network: 'none' })).toBeUndefined();
  });
});
