import type { DatabaseSync } from "node:sqlite";
import type { NewUpload, Upload } from "../store.ts";
import type { Parts } from "./parts.ts";
import { bytes, optional, optionalText, text, whole } from "./row.ts";
import { preparePartsRead } from "./bodies.ts";

export function prepareUploadRead(database: DatabaseSync): (hash: string) => Upload | null {
  const select = database.prepare("SELECT * FROM uploads WHERE hash = ?");
  const parts = preparePartsRead(database);
  return (hash) =>
    optional(select.get(hash), (row) => {
      const content = bytes(row, "content");
      return {
        hash: text(row, "hash"),
        mediaType: text(row, "media_type"),
        name: optionalText(row, "name"),
        content: content.byteLength === 0 ? parts(hash) : content,
        uploadedAt: whole(row, "uploaded_at"),
      };
    });
}

/** Each write is its own transaction. */
export interface UploadWrites {
  add(upload: NewUpload, now: number): void;
  sweep(before: number): number;
}

export function prepareUploadWrites(database: DatabaseSync, parts: Parts): UploadWrites {
  const touch = database.prepare(
    "UPDATE uploads SET media_type = ?2, name = ?3, uploaded_at = ?4 WHERE hash = ?1",
  );
  const insert = database.prepare(
    "INSERT INTO uploads (hash, media_type, name, uploaded_at, content) VALUES (?, ?, ?, ?, ?)",
  );
  const sweep = database.prepare("DELETE FROM uploads WHERE uploaded_at < ? RETURNING hash");
  return {
    add({ hash, mediaType, name, content }, now) {
      // The content is not written again: equal hash means equal content.
      if (touch.run(hash, mediaType, name, now).changes === 0) {
        insert.run(hash, mediaType, name, now, content);
      }
    },
    sweep(before) {
      const swept = sweep.all(before).map((row) => text(row, "hash"));
      for (const hash of swept) parts.tidy(hash);
      return swept.length;
    },
  };
}
