package dev.holdfast.launcher.process;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The child's side of {@link ChildJvm}. Thread-safe.
 *
 * <p>Each line is one unbuffered write to the pipe: once {@link #say} has returned, the parent will
 * read the line, whatever happens to this process.
 */
public final class ParentPipe {

  private final OutputStream out = new FileOutputStream(FileDescriptor.out);
  private final ReentrantLock lock = new ReentrantLock();

  /**
   * Writes to the standard output of this process, which the parent reads. From now on this process
   * logs only what needs attention.
   */
  public ParentPipe() {
    CommandLog.warningsOnly();
  }

  /**
   * Sends a line to the parent.
   *
   * @param line without a line end
   */
  public void say(String line) {
    byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
    lock.lock();
    try {
      out.write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write to the parent", e);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Reads lines from the parent on a separate thread. When the parent is gone, this process ends:
   * nothing would read its output.
   *
   * @param listener receives each line
   */
  public void listen(Consumer<String> listener) {
    Thread.ofPlatform().daemon().name("parent").start(() -> hear(listener));
  }

  private static void hear(Consumer<String> listener) {
    try (var reader =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        listener.accept(line);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read from the parent", e);
    } catch (RuntimeException | Error e) {
      e.printStackTrace(); // the process is ending, so nothing else can print it
      throw e;
    } finally {
      Runtime.getRuntime().halt(1);
    }
  }
}
