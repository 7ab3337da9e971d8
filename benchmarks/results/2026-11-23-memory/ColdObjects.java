import dev.holdfast.*;
import dev.holdfast.embedded.Holdfast;
import java.util.*;
import java.util.concurrent.atomic.*;

public class ColdObjects {
  public interface M {
    void put(String k, byte[] v);

    int read(String k);
  }

  static final class O implements M {
    final ObjectContext c;

    O(ObjectContext c) {
      this.c = c;
    }

    public void put(String k, byte[] v) {
      c.storage().put(k, v);
    }

    public int read(String k) {
      return c.storage().get(k, byte[].class).get().length;
    }
  }

  static void all(ObjectRuntime r, int from, int to, boolean put) throws Exception {
    AtomicInteger next = new AtomicInteger(from);
    List<Thread> ts = new ArrayList<>();
    byte[] v = new byte[100];
    var ns = r.namespace("m", M.class);
    var os =
        (com.sun.management.OperatingSystemMXBean)
            java.lang.management.ManagementFactory.getOperatingSystemMXBean();
    long t0 = System.nanoTime(), c0 = os.getProcessCpuTime();
    for (int k = 0; k < 64; k++)
      ts.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (int i = next.getAndIncrement(); i < to; i = next.getAndIncrement()) {
                      M m = ns.getByName("p" + i);
                      if (put) m.put("k", v);
                      else m.read("k");
                    }
                  }));
    for (Thread t : ts) t.join();
    double s = (System.nanoTime() - t0) / 1e9;
    int n = to - from;
    System.out.printf(
        "%s: %.0f/s cpu %.1f us%n",
        put ? "new" : "cold", n / s, (os.getProcessCpuTime() - c0) / 1e3 / n);
  }

  public static void main(String[] a) throws Exception {
    int n = Integer.parseInt(a[0]);
    var dir = java.nio.file.Files.createTempDirectory("objects");
    for (int round = 0; round < 2; round++) {
      try (ObjectRuntime r = Holdfast.open(dir, o -> o.namespace("m", M.class, O::new))) {
        for (int i = 0; i < 5; i++) all(r, i * n / 5, (i + 1) * n / 5, round == 0);
      }
    }
    System.exit(0);
  }
}
