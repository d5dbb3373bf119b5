/** The files of the page: listed, saved to the computer, and added from it. */

const LARGEST = 256 << 20; // bytes of one file that is added
const UNITS = ["bytes", "KB", "MB", "GB"];

export function size(bytes) {
  let unit = 0;
  for (; bytes >= 1000 && unit < UNITS.length - 1; unit++) bytes /= 1000;
  return `${unit === 0 ? bytes : bytes.toFixed(1)} ${UNITS[unit]}`;
}

export class FileList {
  constructor(files, { list, none }) {
    Object.assign(this, { files, list, none });
  }

  show() {
    const rows = Object.entries(this.files.sizes("/workspace")).sort().map(([path, bytes]) => this.#row(path, bytes));
    this.list.replaceChildren(...rows);
    this.none.hidden = rows.length > 0;
  }

  /** Says what could not be added. */
  async add(chosen) {
    const refused = [];
    for (const file of chosen) {
      try {
        if (file.size > LARGEST) throw new Error(`larger than ${size(LARGEST)}`);
        this.files.importFiles({ [`/workspace/${file.name}`]: new Uint8Array(await file.arrayBuffer()) });
      } catch (error) {
        refused.push(`${file.name} was not added: ${error.message}\n`);
      }
    }
    this.show();
    return refused.join("");
  }

  #row(path, bytes) {
    const [row, link, small] = ["li", "a", "small"].map((name) => document.createElement(name));
    link.textContent = path.replace("/workspace/", "");
    link.href = "#";
    link.title = `Save ${path}`;
    link.onclick = (event) => {
      event.preventDefault();
      save(path, this.files.exportFiles(path)[path]);
    };
    small.textContent = size(bytes);
    row.append(link, small);
    return row;
  }
}

function save(path, data) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([data]));
  link.download = path.split("/").pop();
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
