// Reads the part of the proto3 language that protocols of Kubernetes are written in.

export interface ProtoField {
  readonly name: string;
  readonly number: number;
  /** A scalar type, or the name of a message or an enum. */
  readonly type: string;
  readonly label: 'single' | 'repeated' | 'map';
  readonly oneof?: string;
}

export interface ProtoMessage {
  readonly name: string;
  readonly fields: readonly ProtoField[];
}

export interface ProtoEnum {
  readonly name: string;
  readonly values: readonly (readonly [name: string, number: number])[];
}

export interface ProtoMethod {
  readonly name: string;
  readonly request: string;
  readonly response: string;
}

export interface ProtoService {
  readonly name: string;
  readonly methods: readonly ProtoMethod[];
}

export interface ProtoFile {
  readonly package: string;
  readonly messages: readonly ProtoMessage[];
  readonly enums: readonly ProtoEnum[];
  readonly services: readonly ProtoService[];
}

const TOKEN = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\]|\\.)*"|\.?[A-Za-z_][\w.]*|-?\d+|\S/g;

export function parseProto(text: string): ProtoFile {
  const tokens = (text.match(TOKEN) ?? []).filter((token) => !token.startsWith('//') && !token.startsWith('/*'));
  return new ProtoParser(tokens).file();
}

class ProtoParser {
  readonly #tokens: readonly string[];
  readonly #messages: ProtoMessage[] = [];
  readonly #enums: ProtoEnum[] = [];
  readonly #services: ProtoService[] = [];
  #at = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  file(): ProtoFile {
    let packageName = '';
    while (this.#at < this.#tokens.length) {
      const word = this.#next();
      if (word === 'package') packageName = this.#next();
      if (word === 'message') this.#message('');
      else if (word === 'enum') this.#enum('');
      else if (word === 'service') this.#service();
      else if (word === 'extend') this.#skipBlock();
      else if (word !== ';') this.#skipStatement();
    }
    return { package: packageName, messages: this.#messages, enums: this.#enums, services: this.#services };
  }

  #message(outer: string): void {
    const name = `${outer}${this.#next()}`;
    this.#expect('{');
    this.#messages.push({ name, fields: this.#fields(name) });
  }

  #fields(message: string, oneof?: string): ProtoField[] {
    const fields: ProtoField[] = [];
    for (let word = this.#next(); word !== '}'; word = this.#next()) {
      if (word === ';') continue;
      if (word === 'option' || word === 'reserved') this.#skipStatement();
      else if (word === 'message') this.#message(`${message}_`);
      else if (word === 'enum') this.#enum(`${message}_`);
      else if (word === 'oneof') fields.push(...this.#fields(message, this.#opened()));
      else fields.push({ ...this.#field(word), ...(oneof === undefined ? {} : { oneof }) });
    }
    return fields;
  }

  /** The name before an opening brace. */
  #opened(): string {
    const name = this.#next();
    this.#expect('{');
    return name;
  }

  #field(first: string): ProtoField {
    let type = first.replace(/^\./, '');
    let label: ProtoField['label'] = 'single';
    if (first === 'repeated' || first === 'optional') {
      type = this.#next();
      if (first === 'repeated') label = 'repeated';
    } else if (first === 'map') {
      this.#expect('<');
      this.#expect('string');
      this.#expect(',');
      type = this.#next();
      this.#expect('>');
      label = 'map';
    }
    const name = this.#next();
    this.#expect('=');
    const number = Number(this.#next());
    this.#skipStatement();
    return { name, number, type, label };
  }

  #enum(outer: string): void {
    const name = `${outer}${this.#opened()}`;
    const values: [string, number][] = [];
    for (let word = this.#next(); word !== '}'; word = this.#next()) {
      if (word === ';') continue;
      if (word === 'option' || word === 'reserved') {
        this.#skipStatement();
        continue;
      }
      this.#expect('=');
      values.push([word, Number(this.#next())]);
      this.#skipStatement();
    }
    this.#enums.push({ name, values });
  }

  #service(): void {
    const name = this.#opened();
    const methods: ProtoMethod[] = [];
    for (let word = this.#next(); word !== '}'; word = this.#next()) {
      if (word !== 'rpc') continue;
      const method = this.#next();
      const request = this.#messageType();
      this.#expect('returns');
      methods.push({ name: method, request, response: this.#messageType() });
      if (this.#peek() === '{') this.#skipBlock();
    }
    this.#services.push({ name, methods });
  }

  #messageType(): string {
    this.#expect('(');
    const first = this.#next();
    const type = first === 'stream' ? this.#next() : first;
    this.#expect(')');
    return type;
  }

  #skipStatement(): void {
    for (let depth = 0, word = this.#next(); word !== ';' || depth > 0; word = this.#next()) {
      if (word === '{' || word === '[') depth += 1;
      else if (word === '}' || word === ']') depth -= 1;
    }
  }

  #skipBlock(): void {
    while (this.#peek() !== '{') this.#at += 1;
    let depth = 0;
    do {
      const word = this.#next();
      if (word === '{') depth += 1;
      else if (word === '}') depth -= 1;
    } while (depth > 0);
  }

  #peek(): string | undefined {
    return this.#tokens[this.#at];
  }

  #next(): string {
    const token = this.#tokens[this.#at++];
    if (token === undefined) throw new Error('Cannot read the .proto file: it ends early');
    return token;
  }

  #expect(word: string): void {
    const found = this.#next();
    if (found !== word) throw new Error(`Cannot read the .proto file: expected "${word}", found "${found}"`);
  }
}
