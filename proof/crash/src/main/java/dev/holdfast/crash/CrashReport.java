package dev.holdfast.crash;

import dev.holdfast.crash.Cell.Reply;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * The lines in which a child reports: words separated by a blank, the first a single letter.
 *
 * <pre>
 * C cell seq recorded       a cell's dump begins; its pairs and rows follow
 * K cell key digest         a pair
 * R cell id digest          a row
 * M mirror count number     a mirror's dump begins; its notes follow
 * N mirror cell seq         a note
 * B cell                    a call begins
 * A cell seq                its answer: the step is durable
 * U cell seq                its answer: the step may be lost, its writes are unconfirmed
 * X text                    a promise was broken
 * </pre>
 */
final class CrashReport {

  static final String OPENING = "OPENING";
  static final String OPENED = "OPENED";
  static final String TOLD = "TOLD";
  static final String CLOSING = "CLOSING";
  static final String CLOSED = "CLOSED";

  private CrashReport() {}

  static void reportCell(int cell, Cell.Dump dump, Consumer<String> out) {
    out.accept("C " + cell + " " + dump.seq() + " " + dump.recorded());
    dump.keys()
        .forEach((key, digest) -> out.accept("K " + cell + " " + word(key) + " " + word(digest)));
    dump.rows().forEach((id, digest) -> out.accept("R " + cell + " " + id + " " + word(digest)));
  }

  static void reportMirror(int mirror, Mirror.Dump dump, Consumer<String> out) {
    out.accept("M " + mirror + " " + dump.count() + " " + dump.lastNumber());
    dump.notes().forEach(note -> out.accept("N " + mirror + " " + note.cell() + " " + note.seq()));
  }

  static String begun(int cell) {
    return "B " + cell;
  }

  static String answered(int cell, Reply reply) {
    return (reply.confirmed() ? "A " : "U ") + cell + " " + reply.seq();
  }

  static String broken(String text) {
    return "X " + word(text);
  }

  static String text(String word) {
    return URLDecoder.decode(word, StandardCharsets.UTF_8);
  }

  private static String word(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
