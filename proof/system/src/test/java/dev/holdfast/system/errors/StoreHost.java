package dev.holdfast.system.errors;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.HoldfastException;
import dev.holdfast.ObjectContext;
import dev.holdfast.ObjectRuntime;
import dev.holdfast.launcher.process.ChildJvm;
import dev.holdfast.launcher.process.ParentPipe;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A separate process with a runtime, which executes commands line by line:
 *
 * <pre>
 * open directory
 * write object size     stores {@code size} bytes under the next key; answers with the key
 * check object count    checks that there are {@code count} keys with correct bytes
 * close
 * delete file
 * read file             opens it and closes it, like a program that copies it
 * </pre>
 *
 * <p>It answers with a word and details; {@code FAILED} with the exception.
 */
final class StoreHost {

  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private @Nullable ObjectRuntime runtime;

  private StoreHost() {}

  /** The child's main method. */
  public static void main(String[] arguments) throws InterruptedException {
    StoreHost host = new StoreHost();
    ParentPipe parent = new ParentPipe();
    parent.listen(line -> parent.say(host.answer(line.split(" ", -1))));
    Thread.currentThread().join();
  }

  static ChildJvm start(List<String> wrapper) {
    return ChildJvm.start(wrapper, StoreHost.class, List.of());
  }

  /** {@return the answer, which must begin with a word} */
  static String ask(ChildJvm child, String question, String expected) {
    String answer = ask(child, question);
    assertThat(answer).as(question).startsWith(expected);
    return answer;
  }

  static String ask(ChildJvm child, String question) {
    child.say(question);
    return child.nextLine(PATIENCE).orElseThrow(() -> new AssertionError("no answer: " + question));
  }

  private String answer(String[] words) {
    try {
      return switch (words[0]) {
        case "open" -> {
          runtime = Probe.open(Path.of(words[1]), StoreHost::run);
          yield "OPENED";
        }
        case "write" -> "WRITTEN " + probe(words[1]).run(Long.valueOf(words[2]));
        case "check" -> "CHECKED " + probe(words[1]).run(null);
        case "close" -> {
          Objects.requireNonNull(runtime).close();
          yield "CLOSED";
        }
        case "read" -> {
          Files.readAllBytes(Path.of(words[1]));
          yield "READ";
        }
        case "delete" -> {
          Files.delete(Path.of(words[1]));
          yield "DELETED";
        }
        default -> "UNKNOWN " + words[0];
      };
    } catch (IOException | HoldfastException e) {
      return "FAILED " + e.toString().replace('\n', ' ') + " caused by " + e.getCause();
    }
  }

  private Probe probe(String name) {
    return Objects.requireNonNull(runtime).namespace(Probe.NAMESPACE, Probe.class).getByName(name);
  }

  /** Runs in the object: writes the next key, or counts the correct ones. */
  private static Object run(ObjectContext context, @Nullable Object argument) {
    long count = context.storage().get("count", Long.class).orElse(0L);
    if (argument instanceof Long size) {
      context.storage().put("key-" + count, bytes(count, size.intValue()));
      context.storage().put("count", count + 1);
      return count + 1;
    }
    long whole = 0;
    for (long key = 0; key < count; key++) {
      byte[] found = context.storage().get("key-" + key, byte[].class).orElse(new byte[0]);
      whole += Arrays.equals(found, bytes(key, found.length)) && found.length > 0 ? 1 : 0;
    }
    return whole == count ? count : "only " + whole + " whole of " + count;
  }

  private static byte[] bytes(long key, int size) {
    byte[] bytes = new byte[size];
    new SplittableRandom(key).nextBytes(bytes);
    return bytes;
  }
}
