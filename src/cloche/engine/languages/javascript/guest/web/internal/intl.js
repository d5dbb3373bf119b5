// Intl: formats are made by the host.
const list = (locales) => locales === undefined ? "" : JSON.stringify(locales);

class Format {
  #given;
  constructor(kind, locales, options) {
    this.#given = [kind, list(locales), JSON.stringify(options ?? {})];
    this.call("resolvedOptions", 0);
  }
  call(method, value) {
    return JSON.parse(host("intl", ...this.#given, method, value));
  }
  resolvedOptions() {
    return this.call("resolvedOptions", 0);
  }
}
core.hidden(Format.prototype, "call", Format.prototype.call);

/** Both with and without `new`. */
const callable = (Kind) => {
  Kind.supportedLocalesOf = (locales) => [locales ?? []].flat();
  return new Proxy(Kind, { apply: (target, _this, args) => new target(...args) });
};
const numeric = (value) => typeof value === "bigint" ? `${value}` : Number(value);

const NumberFormat = callable(
  class NumberFormat extends Format {
    constructor(locales, options) {
      super("NumberFormat", locales, options);
      this.format = (value) => this.call("format", numeric(value));
    }
    formatToParts(value) {
      return this.call("formatToParts", numeric(value));
    }
  },
);
const DateTimeFormat = callable(
  class DateTimeFormat extends Format {
    constructor(locales, options) {
      super("DateTimeFormat", locales, { timeZone: "UTC", ...options });
      this.format = (value) => this.call("format", Number(value ?? Date.now()));
    }
    formatToParts(value) {
      return this.call("formatToParts", Number(value ?? Date.now()));
    }
  },
);
const PluralRules = callable(
  class PluralRules extends Format {
    constructor(locales, options) {
      super("PluralRules", locales, options);
    }
    select(value) {
      return this.call("select", Number(value));
    }
  },
);
const ListFormat = callable(
  class ListFormat extends Format {
    constructor(locales, options) {
      super("ListFormat", locales, options);
    }
    format(items) {
      return this.call("format", JSON.stringify([...items]));
    }
  },
);
const RelativeTimeFormat = callable(
  class RelativeTimeFormat extends Format {
    constructor(locales, options) {
      super("RelativeTimeFormat", locales, options);
    }
    format(value, unit) {
      return this.call("format", JSON.stringify([value, unit]));
    }
  },
);
const Collator = callable(
  class Collator extends Format {
    constructor(locales, options) {
      super("Collator", locales, options);
      this.compare = (a, b) => this.call("compare", JSON.stringify([`${a}`, `${b}`]));
    }
  },
);
const Segmenter = callable(
  class Segmenter extends Format {
    constructor(locales, options) {
      super("Segmenter", locales, options);
    }
    segment(input) {
      const text = `${input}`;
      const segments = this.call("segment", text).map((each) => ({ ...each, input: text }));
      return {
        [Symbol.iterator]: () => segments.values(),
        containing: (at = 0) => segments.findLast(({ index }) => index <= at && at < text.length),
      };
    }
  },
);

Object.assign(exports, {
  NumberFormat,
  DateTimeFormat,
  PluralRules,
  ListFormat,
  RelativeTimeFormat,
  Collator,
  Segmenter,
});
exports.getCanonicalLocales = (locales) => [locales ?? []].flat();
core.hidden(exports, Symbol.toStringTag, "Intl");
