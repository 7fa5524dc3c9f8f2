// What people do with crictl, and what it must print.
import { spawn, spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface CrictlTrial {
  readonly name: string;
  readonly problem: string | undefined;
}

/** Runs the commands of a container's life; each answer is compared with what it must contain. */
export async function runCrictl(program: string, endpoint: string, folder: string): Promise<readonly CrictlTrial[]> {
  await mkdir(folder, { recursive: true });
  const [pod, container] = [join(folder, 'pod.json'), join(folder, 'container.json')];
  const config = join(folder, 'crictl.yaml');
  await writeFile(config, `runtime-endpoint: ${endpoint}\nimage-endpoint: ${endpoint}\ntimeout: 20\n`);
  await writeFile(
    pod,
    JSON.stringify({
      metadata: { name: 'web', uid: 'web-1', namespace: 'default', attempt: 0 },
      log_directory: join(folder, 'logs'),
      labels: { app: 'web' },
    }),
  );
  await writeFile(
    container,
    JSON.stringify({
      metadata: { name: 'shell' },
      image: { image: 'busybox:1.37' },
      command: ['sh', '-c', 'echo started; printf part; sleep 1000'],
      log_path: 'shell/0.log',
      linux: { resources: { cpu_shares: 128 } },
    }),
  );
  const trials: CrictlTrial[] = [];
  const crictl = (args: readonly string[], expected: RegExp, input?: string): string => {
    const { stdout, stderr } = spawnSync(program, ['-c', config, ...args], {
      encoding: 'utf8',
      timeout: 60_000,
      ...(input === undefined ? {} : { input }),
    });
    const printed = `${stdout}${stderr}`;
    const problem = expected.test(printed) ? undefined : `printed ${JSON.stringify(printed.slice(0, 400))}`;
    const command = args.map((arg) => (/^[0-9a-f]{64}$/.test(arg) ? 'ID' : arg.replace(`${folder}/`, '')));
    trials.push({ name: `crictl ${command.join(' ')}`, problem });
    return stdout.trim();
  };
  crictl(['version'], /RuntimeName: +simulated/);
  crictl(['info'], /"type": "NetworkReady"/);
  crictl(['runtime-config'], /cgroup driver: +CGROUPFS/);
  crictl(['pull', 'busybox:1.37'], /Image is up to date for sha256:/);
  crictl(['images'], /docker\.io\/library\/busybox +1\.37/);
  crictl(['inspecti', 'busybox:1.37'], /"repoTags"/);
  crictl(['imagefsinfo'], /"mountpoint"/);
  const podId = crictl(['runp', pod], /^[0-9a-f]{64}\n$/);
  crictl(['pods', '--label', 'app=web'], /Ready +web +default/);
  crictl(['inspectp', podId], /"state": "SANDBOX_READY"/);
  const id = crictl(['create', podId, container, pod], /^[0-9a-f]{64}\n$/);
  crictl(['start', id.slice(0, 13)], /^[0-9a-f]{13}\n$/);
  crictl(['ps'], /Running +shell/);
  crictl(['inspect', id], /"state": "CONTAINER_RUNNING"/);
  crictl(['logs', id], /started/);
  crictl(['exec', '--sync', id, 'echo', 'at', 'once'], /^at once\n+$/);
  crictl(['exec', id, 'echo', 'over', 'SPDY'], /^over SPDY\n$/);
  crictl(['exec', '--transport', 'websocket', id, 'echo', 'over', 'WebSocket'], /^over WebSocket\n$/);
  crictl(['exec', '-i', id, 'cat'], /^sent by me\n$/, 'sent by me\n');
  crictl(['exec', id, 'sh', '-c', 'exit 3'], /exit (?:code|status) 3|exitcode 3/i);
  crictl(['update', '--cpu-share', '256', id], /^$|[0-9a-f]{64}/);
  crictl(['inspect', id], /"cpuShares": "?256"?/);
  crictl(['stats'], /shell/);
  crictl(['statsp'], /web/);
  crictl(['metricsp'], /container_memory_working_set_bytes/);
  crictl(['metricdescs'], /container_cpu_usage_seconds_total/);
  trials.push(await portForward(program, config, podId));
  crictl(['checkpoint', `--export=${join(folder, 'c.tar')}`, id], /CheckpointContainer is not supported/);
  crictl(['stop', id], /^[0-9a-f]{64}\n$/);
  crictl(['ps', '-a'], /Exited +shell/);
  crictl(['rm', id], /^[0-9a-f]{64}\n$/);
  crictl(['stopp', podId], /Stopped sandbox/);
  crictl(['rmp', podId], /Removed sandbox/);
  crictl(['inspectp', podId], /code = NotFound/);
  crictl(['rmi', 'busybox:1.37'], /Deleted: docker\.io\/library\/busybox:1\.37/);
  return trials;
}

/** A port of the pod answers through the streaming server: containers without a server of their own refuse it by name. */
async function portForward(program: string, config: string, podId: string): Promise<CrictlTrial> {
  const child = spawn(program, ['-c', config, 'port-forward', podId, '18080:80']);
  let printed = '';
  const name = 'crictl port-forward ID 18080:80';
  try {
    await new Promise<void>((resolve, reject) => {
      const look = (chunk: Buffer): void => {
        printed += chunk.toString();
        if (printed.includes('Forwarding from')) resolve();
      };
      child.stdout.on('data', look);
      child.stderr.on('data', look);
      child.once('exit', () => reject(new Error(printed)));
    });
    const answer = await fetch('http://127.0.0.1:18080/', { signal: AbortSignal.timeout(20_000) });
    return { name, problem: (await answer.text()) === '' ? 'the answer was empty' : undefined };
  } catch (error) {
    return { name, problem: String(error) };
  } finally {
    child.kill();
  }
}
