import { fail, pathOf, type Program, type ShellProcess } from './process.ts';

/** `test` and `[`: one condition, perhaps negated. */
export const testProgram: Program = async (args, process) => {
  const isNegated = args[0] === '!';
  const holds = condition(isNegated ? args.slice(1) : args, process);
  if (holds === undefined) return fail(process, `test: ${args.join(' ')}: condition is not understood`, 2);
  return holds === isNegated ? 1 : 0;
};

function condition(args: readonly string[], process: ShellProcess): boolean | undefined {
  const [first = '', second = '', third = ''] = args;
  if (args.length === 0) return false;
  if (args.length === 1) return first !== '';
  if (args.length === 2) return unary(first, second, process);
  return args.length === 3 ? binary(first, second, third) : undefined;
}

function unary(operator: string, operand: string, process: ShellProcess): boolean | undefined {
  const entry = process.machine.files.get(pathOf(process, operand));
  switch (operator) {
    case '-d':
      return entry?.type === 'directory';
    case '-f':
      return entry?.type === 'file';
    case '-e':
    case '-r':
    case '-w':
      return entry !== undefined;
    case '-s':
      return entry?.type === 'file' && entry.bytes.length > 0;
    case '-x':
      return entry !== undefined && (entry.mode & 0o111) !== 0;
    case '-n':
      return operand !== '';
    case '-z':
      return operand === '';
    default:
      return undefined;
  }
}

function binary(left: string, operator: string, right: string): boolean | undefined {
  const [first, second] = [Number(left), Number(right)];
  switch (operator) {
    case '=':
    case '==':
      return left === right;
    case '!=':
      return left !== right;
    case '-eq':
      return first === second;
    case '-ne':
      return first !== second;
    case '-lt':
      return first < second;
    case '-le':
      return first <= second;
    case '-gt':
      return first > second;
    case '-ge':
      return first >= second;
    default:
      return undefined;
  }
}
