// The reads of the settings page.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";

import { getSettings, getSettingsHistory } from "@/api/ajustes";
import { retryOnly } from "@/shop/pollInterval";

export const SETTINGS = ["shop-settings"] as const;
const HISTORY = [...SETTINGS, "history"] as const;

export const useShopSettings = () =>
  useQuery({ queryKey: [...SETTINGS, "values"], queryFn: ({ signal }) => getSettings(signal), staleTime: 0, refetchInterval: retryOnly });

export const useSettingsHistory = () =>
  useInfiniteQuery({
    queryKey: HISTORY,
    queryFn: ({ pageParam, signal }) => getSettingsHistory(pageParam, signal),
    initialPageParam: "",
    getNextPageParam: ({ next_cursor }) => next_cursor,
    staleTime: 0,
  });
