import dev.holdfast.cluster.*;
import dev.holdfast.faults.FreePorts;
import java.lang.management.*;
import java.nio.file.*;
import java.time.Duration;
import java.util.*;

public class IdleNodes {
  public interface C {
    long c();
  }

  static long kb(String k) throws Exception {
    for (String l : Files.readAllLines(Path.of("/proc/self/status")))
      if (l.startsWith(k)) return Long.parseLong(l.replaceAll("[^0-9]", ""));
    return 0;
  }

  static long du(Path d) throws Exception {
    var p = new ProcessBuilder("du", "-sk", d.toString()).start();
    return Long.parseLong(new String(p.getInputStream().readAllBytes()).split("\\s")[0]);
  }

  public static void main(String[] a) throws Exception {
    int shards = Integer.parseInt(a[0]);
    int rest = Integer.parseInt(a[1]);
    int watch = Integer.parseInt(a[2]);
    Path d = Files.createTempDirectory(Path.of("."), "d");
    List<Integer> ports = FreePorts.pairs(3);
    List<String> m = new ArrayList<>();
    for (int i = 0; i < 3; i++) m.add("abc".charAt(i) + "=127.0.0.1:" + ports.get(i));
    List<ClusterRuntime> all = new ArrayList<>();
    var os =
        (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long t0 = System.nanoTime(), p0 = os.getProcessCpuTime();
    for (String n : List.of("a", "b", "c"))
      all.add(
          ClusterHoldfast.open(
              d.resolve(n),
              ClusterOptions.of("x")
                  .node(n)
                  .members(m.toArray(String[]::new))
                  .withShards(shards)
                  .withBalancing(Boolean.getBoolean("bal"))
                  .withFailover(Duration.ofSeconds(2)),
              o -> o.namespace("c", C.class, ctx -> (C) () -> 0L)));
    long t1 = System.nanoTime();
    for (ClusterRuntime r : all) System.out.println(r.awaitReady(Duration.ofMinutes(3)));
    System.out.printf(
        "open %d ms, ready %d ms, cpu %d ms%n",
        (t1 - t0) / 1000000,
        (System.nanoTime() - t0) / 1000000,
        (os.getProcessCpuTime() - p0) / 1000000);
    Thread.sleep(rest * 1000L);
    System.gc();
    System.out.printf(
        "rss %d MiB, heap %d MiB, direct %s MiB, disk a node %d MiB%n",
        kb("VmRSS") / 1024,
        ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() >> 20,
        ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .map(b -> b.getName() + "=" + (b.getMemoryUsed() >> 20))
            .toList(),
        du(d) / 1024 / 3);
    ThreadMXBean t = ManagementFactory.getThreadMXBean();
    Map<Long, Long> b = new HashMap<>();
    for (long id : t.getAllThreadIds()) b.put(id, t.getThreadCpuTime(id));
    long c0 = os.getProcessCpuTime(), n0 = System.nanoTime();
    Thread.sleep(watch * 1000L);
    double el = System.nanoTime() - n0;
    System.out.printf(
        "process %.2f %% per node, threads per node %d%n",
        100 * (os.getProcessCpuTime() - c0) / el / 3, t.getThreadCount() / 3);
    TreeMap<String, Double> by = new TreeMap<>();
    TreeMap<String, Integer> cnt = new TreeMap<>();
    for (long id : t.getAllThreadIds()) {
      ThreadInfo i = t.getThreadInfo(id);
      if (i == null) continue;
      String n =
          i.getThreadName()
              .replaceAll("[0-9a-fA-F]{8,}", "G")
              .replaceAll("[0-9]+", "#")
              .replaceAll("\\b[abc]@", "@")
              .replaceAll("@group-[A-Z0-9]+", "")
              .replaceAll("->[abc]", "->x");
      by.merge(n, (t.getThreadCpuTime(id) - b.getOrDefault(id, 0L)) / el * 100 / 3, Double::sum);
      cnt.merge(n, 1, Integer::sum);
    }
    by.entrySet().stream()
        .sorted((x, y) -> Double.compare(y.getValue(), x.getValue()))
        .limit(30)
        .forEach(
            e ->
                System.out.printf("%.3f %s (%d)%n", e.getValue(), e.getKey(), cnt.get(e.getKey())));
    cnt.entrySet().stream().filter(e -> e.getValue() >= 20).forEach(e -> System.out.println(e));
    for (String n : List.of("a", "b", "c"))
      System.out.println(
          n + " owns " + all.get(0).shards().stream().filter(s -> n.equals(s.owner())).count());
    System.exit(0);
  }
}
