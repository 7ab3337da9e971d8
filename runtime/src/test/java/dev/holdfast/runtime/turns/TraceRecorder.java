package dev.holdfast.runtime.turns;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * Compares two engines by the traces of {@link TraceProgram}: {@code record FILE COUNT} writes a
 * hash of the trace of each seed from 1, one a line, {@code replay FILE} compares them with those
 * of this engine, {@code show SEED} prints one trace.
 */
final class TraceRecorder {

  private static final int HASH_BYTES = 8;

  private TraceRecorder() {}

  public static void main(String[] arguments) throws IOException {
    switch (arguments[0]) {
      case "record" -> record(Path.of(arguments[1]), Integer.parseInt(arguments[2]));
      case "replay" -> {
        List<String> hashes = Files.readAllLines(Path.of(arguments[1]));
        System.out.println(hashes.size() + " seeds, these differ: " + differing(hashes));
      }
      case "show" -> TraceProgram.trace(Long.parseLong(arguments[1])).forEach(System.out::println);
      default -> throw new IllegalArgumentException("record, replay or show: " + arguments[0]);
    }
  }

  private static void record(Path file, int count) throws IOException {
    List<String> hashes = new ArrayList<>();
    long lines = 0;
    long failed = 0;
    for (long seed = 1; seed <= count; seed++) {
      List<String> trace = TraceProgram.trace(seed);
      lines += trace.size();
      failed += trace.stream().anyMatch(line -> line.contains(" FAILED ")) ? 1 : 0;
      hashes.add(hash(trace));
    }
    Files.write(file, hashes);
    System.out.println(count + " seeds, " + lines + " lines, " + failed + " failed");
  }

  /** Returns the seeds whose trace has another hash; the first hash is that of seed 1. */
  static List<Long> differing(List<String> hashes) {
    List<Long> differing = new ArrayList<>();
    String name = Thread.currentThread().getName();
    Thread.currentThread().setName("main"); // as it is in the recorded traces
    for (int i = 0; i < hashes.size(); i++) {
      long seed = i + 1L;
      if (!hashes.get(i).equals(hash(TraceProgram.trace(seed)))) {
        differing.add(seed);
      }
    }
    Thread.currentThread().setName(name);
    return differing;
  }

  private static String hash(List<String> trace) {
    try {
      byte[] text = String.join("\n", trace).getBytes(StandardCharsets.UTF_8);
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(text);
      return HexFormat.of().formatHex(digest, 0, HASH_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has SHA-256.", e);
    }
  }
}
