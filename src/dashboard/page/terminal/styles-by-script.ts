/**
 * A document for libraries that style what they draw by `style` elements and attributes, which the page's security policy refuses. What they
 * write there goes into style sheets and style declarations by script instead, which the policy allows.
 */
export class StylesByScript implements Disposable {
  readonly document: Document;
  readonly #sheets = new Set<CSSStyleSheet>();

  constructor(real: Document) {
    this.document = new Proxy(real, {
      get: (target, name) => {
        if (name === 'createElement') return (tag: string): HTMLElement => this.#create(target, tag);
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  }

  [Symbol.dispose](): void {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => !this.#sheets.has(sheet));
  }

  /** Runs `work`, which makes style elements in the page's own document. */
  during(work: () => void): void {
    const real = document;
    const create = Document.prototype.createElement.bind(real);
    real.createElement = (tag: string) => (tag === 'style' ? this.#createStyle(real) : create(tag));
    try {
      work();
    } finally {
      Reflect.deleteProperty(real, 'createElement');
    }
  }

  #create(target: Document, tag: string): HTMLElement {
    if (tag === 'style') return this.#createStyle(target);
    const element = target.createElement(tag);
    element.setAttribute = (name: string, value: string): void => {
      if (name === 'style') element.style.cssText = value;
      else Element.prototype.setAttribute.call(element, name, value);
    };
    return element;
  }

  #createStyle(target: Document): HTMLElement {
    const sheet = new CSSStyleSheet();
    this.#sheets.add(sheet);
    target.adoptedStyleSheets = [...target.adoptedStyleSheets, sheet];
    const stand = target.createElement('template');
    let text = '';
    Object.defineProperty(stand, 'textContent', {
      get: () => text,
      set: (value: string) => {
        text = value;
        sheet.replaceSync(value);
      },
    });
    return stand;
  }
}
