import dev.holdfast.*;
import dev.holdfast.embedded.Holdfast;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class NewObjects {
  public interface M {
    void put(String k, byte[] v);
  }

  static final class O implements M {
    final ObjectContext c;

    O(ObjectContext c) {
      this.c = c;
    }

    public void put(String k, byte[] v) {
      c.storage().put(k, v);
    }
  }

  public static void main(String[] a) throws Exception {
    int rounds = Integer.parseInt(a[0]);
    int each = Integer.parseInt(a[1]);
    int callers = Integer.parseInt(a[2]);
    boolean virtual = a.length > 3 && a[3].equals("v");
    var dir = java.nio.file.Files.createTempDirectory("objects");
    var os =
        (com.sun.management.OperatingSystemMXBean)
            java.lang.management.ManagementFactory.getOperatingSystemMXBean();
    try (ObjectRuntime r = Holdfast.open(dir, o -> o.namespace("m", M.class, O::new))) {
      byte[] v = new byte[100];
      AtomicInteger next = new AtomicInteger();
      for (int i = 0; i < rounds; i++) {
        List<Thread> ts = new ArrayList<>();
        AtomicInteger left = new AtomicInteger(each);
        long t0 = System.nanoTime(), c0 = os.getProcessCpuTime();
        for (int k = 0; k < callers; k++) {
          Runnable w =
              () -> {
                while (left.getAndDecrement() > 0)
                  r.namespace("m", M.class).getByName("p" + next.incrementAndGet()).put("k", v);
              };
          ts.add(virtual ? Thread.ofVirtual().start(w) : Thread.ofPlatform().start(w));
        }
        for (Thread t : ts) t.join();
        double s = (System.nanoTime() - t0) / 1e9;
        System.out.printf(
            "%d: %.0f/s cpu %.1f us%n", i, each / s, (os.getProcessCpuTime() - c0) / 1e3 / each);
      }
    }
    System.exit(0);
  }
}
