import { describe, expect, test } from 'vitest';
import { settle } from '../../base/index.ts';
import { ByteInbox } from '../../wire/connections/index.ts';
import { runProgram } from './run-program.ts';
import { Terminal } from './terminal.ts';
import { sent, TestContainer } from './testing/test-container.ts';

describe('a command in a simulated container', () => {
  test.each([
    [`echo one 'two  three' "four\\"" fi\\ ve`, 'one two  three four" fi ve\n', 0],
    [
      `echo $COLOR "$COLOR" '$COLOR' \${NONE:-other} "\\$COLOR" $NONE .`,
      'blue and green blue and green $COLOR other $COLOR .\n',
      0,
    ],
    ['false && echo no || echo yes; echo $?', 'yes\n0\n', 0],
    ['true || echo no; false', '', 1],
    ['exit 300; echo no', '', 44],
    ['echo a > /tmp/x; echo b >> /tmp/x; cat < /tmp/x | wc -l', '2\n', 0],
    ['echo hidden 2>/dev/null >&2; echo hidden 2> /dev/null 1>&2; echo a1>/tmp/x; cat /tmp/x', 'a1\n', 0],
    ['cat /none 2>&1 | cat', 'cat: /none: No such file or directory\n', 0],
    ['cat /none 2>/dev/null', '', 1],
    ['A=1; A=2 env | wc -l; echo $A', '3\n1\n', 0],
    ['cd /tmp && pwd; cd /none', "/tmp\nsh: cd: can't cd to /none: No such file or directory\n", 2],
    ['mkdir -p /tmp/a/b && touch /tmp/a/c && ls /tmp/a; rm -r /tmp/a; ls /tmp', 'b\nc\n', 0],
    ['mkdir /no/where', 'mkdir: /no/where: No such file or directory\n', 1],
    ['[ -d /tmp ] && [ ! -f /tmp ] && test 2 -gt 1 && echo yes # and no more', 'yes\n', 0],
    ['nothing-of-the-kind', 'sh: nothing-of-the-kind: not found\n', 127],
    ['echo "open', 'sh: syntax error: unterminated quoted string\n', 2],
    ['| cat', 'sh: syntax error: unexpected "|"\n', 2],
    ['true &&', 'sh: syntax error: unexpected end of file\n', 2],
    ['[[ a == a* && -d /tmp ]] && echo yes', 'yes\n', 0],
    ['[[ "a b" =~ ^(a|b).b$ ]] && echo yes', 'yes\n', 0],
    ['bash -c "for i in {1..3} x{a,b}; do echo \\$i; done"', '1\n2\n3\nxa\nxb\n', 0],
    ['grep --perl-regexp a', 'grep: unrecognized option: perl-regexp\n', 2],
    [
      'date; hostname; id; uname',
      'Fri Jan  2 03:04:05 UTC 2026\nweb\nuid=0(root) gid=0(root) groups=0(root)\nLinux\n',
      0,
    ],
    ['set -eo pipefail; false | true; echo no', '', 1],
    ['bash -c "echo a &> /tmp/x"', '', 0],
  ])('%s', async (script, output, code) => {
    expect(await new TestContainer().sh(script)).toEqual([output, code]);
  });

  test('that is unknown is left to the image, and otherwise not found', async () => {
    expect(await new TestContainer().run(['pg_isready', '-q'])).toEqual(['sh: pg_isready: not found\n', 127]);
    const container = new TestContainer();
    const seen: unknown[] = [];
    const process = container.process(sent(), {
      imageProgram: (words, _, isInShell) => {
        seen.push([words, isInShell]);
        return Promise.resolve(3);
      },
    });
    expect(await runProgram(['/opt/app/echo', 'x'], process)).toBe(3);
    expect(await runProgram(['sh', '-c', 'toString; echo $?; exit 4'], process)).toBe(4);
    expect([seen, container.output]).toEqual([
      [
        [['/opt/app/echo', 'x'], false],
        [['toString'], true],
      ],
      '3\n',
    ]);
  });

  test('sleeps on the clock of the node, and ends when it is aborted', async () => {
    const container = new TestContainer();
    const sleeping = container.sh('sleep 1m; echo up');
    await container.clock.advance('59s');
    expect(container.output).toBe('');
    await container.clock.advance('1s');
    expect(await sleeping).toEqual(['up\n', 0]);
    const stop = new AbortController();
    const stopped = runProgram(['sleep', 'infinity'], container.process(sent(), { signal: stop.signal }));
    stop.abort();
    expect(await stopped).toBe(130);
  });

  test('reads a script from its input, line by line', async () => {
    expect(await new TestContainer().run(['sh'], sent('echo o', 'ne\ncat\nto cat\n', 'more'))).toEqual([
      'one\nto cat\nmore',
      0,
    ]);
  });

  test('unpacks an archive that another one packed, with names of any length', async () => {
    const [from, to] = [new TestContainer(), new TestContainer()];
    const long = `/tmp/${'directory/'.repeat(12)}`;
    await from.sh(`mkdir -p ${long}; echo long > ${long}/file; echo short > /tmp/file`);
    const archive = new ByteInbox();
    const packing = runProgram(
      ['tar', 'cf', '-', '/tmp'],
      from.process(sent(), { stdout: (bytes) => archive.deliver(bytes) }),
    );
    const unpacking = to.run(['tar', '-xmf', '-', '-C', '/root'], archive);
    expect(await packing).toBe(0);
    archive.finish();
    expect(await unpacking).toEqual(['', 0]);
    expect(await to.sh(`cat /root${long}/file /root/tmp/file`)).toEqual(['long\nshort\n', 0]);
  });

  test('cannot exceed the memory limit, nor leave its directory by names in archives', async () => {
    const container = new TestContainer();
    const megabyte = Buffer.alloc(700 * 1024, 'x');
    expect(await container.run(['tee', '/tmp/a'], sent(megabyte))).toEqual([megabyte.toString(), 0]);
    expect(await container.sh('cat > /tmp/b', sent(megabyte))).toEqual(['cat: -: No space left on device\n', 1]);
    expect(await container.run(['tar', 'x'], sent('nonsense'.repeat(64)))).toEqual([
      'tar: This does not look like a tar archive\n',
      2,
    ]);
    const script =
      'mkdir -p /tmp/in; rm /tmp/a; echo x > /tmp/in/f; cd /tmp/in; tar cf /tmp/out.tar ../in; rm -r /tmp/in; cd /root; tar xf /tmp/out.tar; ls /root /tmp';
    expect(await container.sh(script)).toEqual(['/root:\nin\n\n/tmp:\nb\nout.tar\n', 0]);
  });
});

describe('a terminal', () => {
  test('echoes input, supports corrections, and interrupts programs', async () => {
    const container = new TestContainer();
    const keys = new ByteInbox();
    let screen = '';
    const terminal = new Terminal(async (bytes) => void (screen += Buffer.from(bytes).toString()));
    const write = (bytes: Uint8Array): Promise<void> => terminal.write(bytes);
    const process = container.process(terminal.input, { terminal, stdout: write, stderr: write });
    const running = Promise.all([terminal.run(keys), runProgram(['sh'], process)]);
    const type = async (text: string): Promise<void> => {
      await keys.deliver(Buffer.from(text));
      for (let turn = 0; turn < 10; turn++) await settle();
    };
    await type('ecko\x7f\x7fho hi\r');
    await type('sleep 1000\r');
    await type('\x03');
    await type('cat\r');
    await type('line\r');
    await type('\x03');
    await type('x\x03');
    await type('exit 3\r\x04');
    expect(screen).toBe(
      '/ # ecko\b \b\b \bho hi\r\nhi\r\n/ # sleep 1000\r\n^C\r\n/ # cat\r\nline\r\nline\r\n^C\r\n/ # x^C\r\n/ # exit 3\r\n',
    );
    expect((await running)[1]).toBe(3);
  });
});
