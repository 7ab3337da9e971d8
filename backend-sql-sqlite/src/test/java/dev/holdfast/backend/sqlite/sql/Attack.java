package dev.holdfast.backend.sqlite.sql;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Statements that together try to do something forbidden.
 *
 * @param steps one statement each; after {@link #BINDING} a text for a parameter
 * @param isWritten whether the text is that of a template: then it must be refused, whatever it
 *     does
 */
record Attack(List<String> steps, boolean isWritten) {

  /** Separates a statement from its parameter. */
  static final String BINDING = "\uE000";

  static Attack of(String... steps) {
    return new Attack(List.of(steps), true);
  }

  static String sql(String step) {
    return step.split(BINDING)[0];
  }

  static Object[] bindings(String step) {
    String[] parts = step.split(BINDING);
    return Arrays.copyOfRange(parts, 1, parts.length, Object[].class);
  }

  static void write(List<Attack> attacks, DataOutputStream out) throws IOException {
    out.writeInt(attacks.size());
    for (Attack attack : attacks) {
      out.writeBoolean(attack.isWritten());
      out.writeInt(attack.steps().size());
      for (String step : attack.steps()) {
        byte[] bytes = step.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
      }
    }
  }

  static List<Attack> read(DataInputStream in) throws IOException {
    int count = in.readInt();
    List<Attack> attacks = new ArrayList<>(count);
    for (int each = 0; each < count; each++) {
      boolean isWritten = in.readBoolean();
      int size = in.readInt();
      List<String> steps = new ArrayList<>(size);
      for (int step = 0; step < size; step++) {
        steps.add(new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8));
      }
      attacks.add(new Attack(List.copyOf(steps), isWritten));
    }
    return attacks;
  }

  /** {@return the steps, in visible characters} */
  @Override
  public String toString() {
    return String.join(" ;; ", steps)
        .codePoints()
        .mapToObj(
            each ->
                each >= ' ' && each < 127
                    ? Character.toString(each)
                    : String.format("\\u%04X", each))
        .collect(Collectors.joining());
  }
}
