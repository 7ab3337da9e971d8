package dev.holdfast.crash.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.TimeSource;
import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The time source of the product, as a node has it, shows the clock that jumps. */
final class CrashClockTest {

  private static final String TIME_SOURCE = "dev.holdfast.runtime.SystemTimeSource";

  /** Far less than the clock jumps, and far more than a test takes. */
  private static final long ABOUT_MILLIS = Duration.ofMinutes(20).toMillis();

  /** Finds the planted class first, as the class path of a node does. */
  private static final class Planted extends ClassLoader {

    private final byte[] bytes;

    Planted(byte[] bytes) {
      super(CrashClockTest.class.getClassLoader());
      this.bytes = bytes.clone();
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      return name.equals(TIME_SOURCE)
          ? defineClass(name, bytes, 0, bytes.length)
          : super.loadClass(name, resolve);
    }
  }

  private static TimeSource planted() throws IOException, ReflectiveOperationException {
    byte[] bytes = CrashClock.planted().bytes();
    assertThat(ClassFile.of().verify(bytes)).isEmpty();
    return (TimeSource)
        new Planted(bytes).loadClass(TIME_SOURCE).getDeclaredConstructor().newInstance();
  }

  @AfterEach
  void setRight() {
    CrashClock.jump(Duration.ZERO);
  }

  @Test
  void timeSourceShowsTheClockThatJumps() throws Exception {
    TimeSource time = planted();
    long before = time.wallMillis();
    CrashClock.jump(Duration.ofHours(1));
    assertThat(time.wallMillis() - before).isGreaterThan(ABOUT_MILLIS);
    CrashClock.jump(Duration.ofHours(-1));
    assertThat(time.wallMillis() - before).isLessThan(-ABOUT_MILLIS);
    CrashClock.jump(Duration.ZERO);
    assertThat(time.wallMillis() - before).isBetween(0L, ABOUT_MILLIS);
  }

  @Test
  void latestTimeIsThatOfBeforeForAWhile() {
    CrashClock.jump(Duration.ofHours(1));
    CrashClock.jump(Duration.ZERO);
    assertThat(CrashClock.latestMillis() - CrashClock.wallMillis()).isGreaterThan(ABOUT_MILLIS);
  }
}
