// Stats: the facts about a file.
const TYPES = [0o100000, 0o040000, 0o120000, 0o060000];
const [FILE, FOLDER, LINK] = [0, 1, 2];

class Kind {
  constructor(kind) {
    core.hidden(this, "kind", kind);
  }
  isFile() {
    return this.kind === FILE;
  }
  isDirectory() {
    return this.kind === FOLDER;
  }
  isSymbolicLink() {
    return this.kind === LINK;
  }
  isBlockDevice() {
    return false;
  }
  isCharacterDevice() {
    return false;
  }
  isFIFO() {
    return this.kind === 3;
  }
  isSocket() {
    return false;
  }
}

class Stats extends Kind {
  constructor([kind, mode, size, mtime, atime, ino, links], big) {
    super(kind);
    const number = big ? (value) => BigInt(Math.round(value)) : (value) => value;
    const fields = {
      dev: 1,
      mode: TYPES[kind] | mode & 0o7777,
      nlink: links,
      uid: 1000,
      gid: 1000,
      rdev: 0,
      blksize: 4096,
      ino,
      size,
      blocks: Math.ceil(size / 512),
      atimeMs: atime,
      mtimeMs: mtime,
      ctimeMs: mtime,
      birthtimeMs: mtime,
    };
    for (const [name, value] of Object.entries(fields)) this[name] = number(value);
    for (const name of ["atime", "mtime", "ctime", "birthtime"]) this[name] = new Date(Number(fields[`${name}Ms`]));
  }
}

class Dirent extends Kind {
  constructor(name, parentPath, kind) {
    super(kind);
    Object.assign(this, { name, parentPath, path: parentPath });
  }
}

exports.constants = {
  F_OK: 0,
  R_OK: 4,
  W_OK: 2,
  X_OK: 1,
  COPYFILE_EXCL: 1,
  O_RDONLY: 0,
  O_WRONLY: 1,
  O_RDWR: 2,
  O_CREAT: 64,
  O_EXCL: 128,
  O_TRUNC: 512,
  O_APPEND: 1024,
  S_IFMT: 0o170000,
  S_IFREG: TYPES[0],
  S_IFDIR: TYPES[1],
  S_IFLNK: TYPES[2],
};
Object.assign(exports, { Stats, Dirent, FILE, FOLDER, LINK });
